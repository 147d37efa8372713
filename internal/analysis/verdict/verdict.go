package verdict

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// Verdict is what a trial is worth.
type Verdict struct {
	// LimitedBy is one of the Limit constants. Only with record.LimitDUT is the
	// received rate the DUT's capability; else the DUT can do at least that.
	LimitedBy string
	// Valid is false when the trial does not measure what it was meant to.
	Valid bool
	// Reasons are plain sentences with their numbers: first what makes it
	// invalid, then what limited it, then doubts. Never nil.
	Reasons []string
	// Faults are the kinds of the first reasons: those that make it invalid.
	Faults []record.Fault
}

// Judge decides on the evidence of one trial.
func Judge(e Evidence) Verdict {
	limit, why := limitOf(e)
	reasons, codes := []string{}, []record.Fault(nil)
	for _, f := range faults(e) {
		reasons, codes = append(reasons, f.text), append(codes, f.code)
	}
	if why != "" {
		reasons = append(reasons, why)
	}
	return Verdict{
		LimitedBy: limit,
		Valid:     len(codes) == 0,
		Faults:    codes,
		Reasons:   append(reasons, slices.DeleteFunc(doubts(e), func(doubt string) bool { return doubt == why })...),
	}
}
