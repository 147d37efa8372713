package report

import "github.com/upflab/upflab/internal/result"

// verdict is what one trial is worth, with whose it is.
type verdict struct {
	DUT   string
	Color string
	*result.Trial
}

// name tells the trial in a sentence: "uplink 960k", "uplink latency at 1k".
func (v verdict) name() string {
	if v.Kind == result.KindLatency {
		return v.Direction + " latency at " + v.Load
	}
	return v.Direction + " " + v.Load
}

// verdicts lists all trials in the order of the view.
func (v view) verdicts() []verdict {
	var all []verdict
	for _, d := range v.DUTs {
		for _, r := range d.Rows {
			for _, t := range r.group.All {
				all = append(all, verdict{DUT: d.Label, Color: d.Color, Trial: t})
			}
		}
	}
	return all
}

func (v view) invalid() []verdict {
	var bad []verdict
	for _, one := range v.verdicts() {
		if !one.Valid {
			bad = append(bad, one)
		}
	}
	return bad
}
