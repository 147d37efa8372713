package verdict

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// Verdict is what a trial is worth.
type Verdict struct {
	// LimitedBy is one of the Limit constants. Only with record.LimitDUT is the
	// received rate the DUT's capability; else the DUT can do at least that.
	LimitedBy record.Limit
	// Valid is false when the trial does not measure what it was meant to.
	Valid bool
	// Reasons are plain sentences with their numbers: first what makes it
	// invalid, then what limited it, then doubts. Never nil.
	Reasons []string
	// Faults are the kinds of the first reasons: those that make it invalid.
	Faults []record.Fault
	// Codes names the kinds of Reasons, one for each, as package reason has them.
	Codes []string
}

// Judge decides on the evidence of one trial.
func Judge(e Evidence) Verdict {
	limit, why := limitOf(e)
	v := Verdict{LimitedBy: limit, Reasons: []string{}}
	add := func(code, text string) { v.Reasons, v.Codes = append(v.Reasons, text), append(v.Codes, code) }
	for _, f := range faults(e) {
		v.Faults = append(v.Faults, f.code)
		add(string(f.code), f.text)
	}
	v.Valid = len(v.Faults) == 0
	known := doubts(e)
	if why != "" {
		code := limit.Code()
		if i := slices.IndexFunc(known, func(d doubt) bool { return d.text == why }); i >= 0 {
			code, known = string(known[i].code), slices.Delete(known, i, i+1)
		}
		add(code, why)
	}
	for _, d := range known {
		add(string(d.code), d.text)
	}
	return v
}
