package history

import (
	"slices"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
)

// Verdict is what became of a run, in a word or two.
type Verdict string

// The verdicts, the worst first: a run has the first that applies.
const (
	Unread     Verdict = "not read"
	Failed     Verdict = "UPF failed"
	Missed     Verdict = "threshold failed"
	Found      Verdict = "findings"
	Incomplete Verdict = "incomplete"
	NotValid   Verdict = "not valid" // some trials or flows
	Untold     Verdict = "cannot tell"
	Passed     Verdict = "passed" // all of its thresholds
	Complete   Verdict = "complete"
)

// Verdicts lists them.
func Verdicts() []Verdict {
	return []Verdict{Failed, Missed, Found, Incomplete, NotValid, Untold, Passed, Complete}
}

// Verdict is that of the run.
func (r *Run) Verdict() Verdict {
	failed := slices.ContainsFunc(r.DUTs, func(d DUT) bool { return d.Status == record.StatusFailed })
	switch {
	case r.Unreadable != "":
		return Unread
	case failed:
		return Failed
	case r.Thresholds[record.OutcomeFail] > 0:
		return Missed
	case r.Findings > 0:
		return Found
	case !r.Complete:
		return Incomplete
	case r.Invalid > 0:
		return NotValid
	case r.Thresholds[record.OutcomeCannotTell] > 0:
		return Untold
	case r.Thresholds[record.OutcomePass] > 0:
		return Passed
	}
	return Complete
}

// Limit is a threshold on the figure of a series.
type Limit struct {
	DUT       string           `json:"dut"`
	Metric    compare.Metric   `json:"metric"`
	Kind      record.Kind      `json:"kind"`
	Direction record.Direction `json:"direction"`
	Load      string           `json:"load"`
	Value     float64          `json:"value"` // in the metric's unit
	Text      string           `json:"text"`  // the threshold as the scenario has it
}

// limitsMost is how many limits of a run are kept: a result may be anybody's.
const limitsMost = 100

// limitsOf are the thresholds of a result on figures that a history has.
func limitsOf(r *record.Result, readings []compare.Reading) (list []Limit) {
	if len(r.Thresholds) == 0 {
		return nil
	}
	at := byPlace(readings)
	for _, t := range r.Thresholds {
		if t.Limit == nil {
			continue
		}
		for _, v := range at[place{t.DUT, compare.Metric(t.Figure), t.Where}] {
			if len(list) == limitsMost {
				return list
			}
			list = append(list, Limit{v.DUT, v.Metric, v.Key.Kind, v.Key.Direction, v.Load, *t.Limit, t.Expression})
		}
	}
	return list
}

// place is what a threshold is on: a figure of a DUT, and where it was taken, in words.
type place struct {
	dut    string
	metric compare.Metric
	where  string
}

// byPlace finds readings by either name of their place: a threshold names the size where a DUT was
// measured with several.
func byPlace(readings []compare.Reading) map[place][]*compare.Reading {
	at := map[place][]*compare.Reading{}
	for i := range readings {
		v := &readings[i]
		of := figure.Place{Key: v.Key}
		short, sized := place{v.DUT, v.Metric, of.Words(false)}, place{v.DUT, v.Metric, of.Words(true)}
		at[short] = append(at[short], v)
		if sized != short {
			at[sized] = append(at[sized], v)
		}
	}
	return at
}
