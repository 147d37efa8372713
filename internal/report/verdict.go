package report

import "github.com/upflab/upflab/internal/record"

// verdict is what one trial is worth, with whose it is.
type verdict struct {
	DUT   string
	Color string
	sized bool // there are several sizes: the name tells which
	*record.Trial
}

// name tells the trial in a sentence: "uplink 960k", "uplink latency at 1k",
// "frame:512 both max".
func (v verdict) name() string {
	name := string(v.Direction) + " " + v.Load.String()
	if v.Kind == record.KindLatency {
		name = string(v.Direction) + " latency at " + v.Load.String()
	}
	if v.sized {
		return v.SizeName() + " " + name
	}
	return name
}

// verdicts lists all trials in the order of the view.
func (v view) verdicts() []verdict {
	var all []verdict
	for _, d := range v.DUTs {
		for _, r := range d.Rows {
			for _, t := range r.group.All {
				all = append(all, verdict{DUT: d.Label, Color: d.Color, sized: d.sized, Trial: t})
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
