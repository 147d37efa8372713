package search

import (
	"errors"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Report is the result of a search for rates: the Search Result of RFC 9971
// clause 4.8.5, one GoalResult for each goal in the order given, and all trials.
type Report struct {
	Method         record.Method
	MinPPS, MaxPPS float64 // Min Load and Max Load, packets/s
	Goals          []GoalResult
	Trials         []Record
	Elapsed        time.Duration // waiting included
	// Reasons are why the search as a whole ended early; none when it did not.
	Reasons    []Reason
	Conditions Conditions
	claims     Standard
}

// Valid reports whether all goals have a valid result.
func (r Report) Valid() bool {
	for _, g := range r.Goals {
		if !g.Valid() {
			return false
		}
	}
	return len(r.Goals) > 0 && len(r.Reasons) == 0
}

// Goal gives the result of the goal of that name.
func (r Report) Goal(name string) (GoalResult, bool) {
	for _, g := range r.Goals {
		if g.Goal.Name == name {
			return g, true
		}
	}
	return GoalResult{}, false
}

// GoalResult is what was found for one goal (RFC 9971 clause 4.8.4).
type GoalResult struct {
	Goal Goal
	// LowerBound is the Relevant Lower Bound. Without UpperBound it is only an
	// effective one: the device does at least that.
	LowerBound *Bound
	// UpperBound is the Relevant Upper Bound, nil when there is none.
	UpperBound *Bound
	// LastLowerPPS and LastUpperPPS are the bounds by the last measure that had any, packets/s:
	// those above where they are there, else those of shorter trials. A search that ended
	// early was on its way between them. 0: there is none.
	LastLowerPPS, LastUpperPPS float64
	// ConditionalThroughput in packets/s (clause 4.8.3): what typically arrives
	// at the lower bound; 0 without one. RFC 2544 throughput when the goal's loss
	// and exceed ratios are 0.
	ConditionalThroughput float64
	// LimitedBy says what caused the loss at the upper bound: one of the Limit
	// constants of package analysis, or "" when that is not known.
	LimitedBy record.Limit
	// Verified is true when the device still behaved as the bounds say at the
	// end of the search, or nearly so: Off is by how much it was off then, relative, at
	// most.
	Verified bool
	Off      float64
	// Reasons are empty for a Regular Goal Result without doubts.
	Reasons []Reason
}

// Bound is a load that was measured long enough to decide on it.
type Bound struct {
	PPS    float64 // packets/s
	Trials int
	// LowLoss and HighLoss are the durations of its trials, by kind.
	LowLoss, HighLoss time.Duration
}

// Regular reports whether both relevant bounds exist and are as close as the
// goal asks (RFC 9971 clause 4.8.4.1).
func (g GoalResult) Regular() bool {
	if g.LowerBound == nil || g.UpperBound == nil || g.coarse() {
		return false
	}
	return g.width() <= g.Goal.Width
}

// coarse reports whether its bounds rest on less than the goal asks for.
func (g GoalResult) coarse() bool {
	return slices.ContainsFunc(g.Reasons, func(r Reason) bool { return r.Code == record.ReasonCoarse })
}

// width is (upper - lower) / upper.
func (g GoalResult) width() float64 {
	return (g.UpperBound.PPS - g.LowerBound.PPS) / g.UpperBound.PPS
}

// Valid reports whether the result is regular, or as near to that as the time allowed, and
// nothing speaks against it.
func (g GoalResult) Valid() bool {
	for _, r := range g.Reasons {
		switch r.Code {
		case record.ReasonUnverified, record.ReasonUnsteady, record.ReasonRepeated, record.ReasonDisturbed, record.ReasonCoarse:
		default:
			return false
		}
	}
	return g.Regular() || g.coarse()
}

// Rate gives the rate that the search looked for in packets/s, the Relevant
// Lower Bound, and false when the search cannot answer for it. It is the
// device's own rate only when LimitedBy says so.
func (g GoalResult) Rate() (pps float64, ok bool) {
	if !g.Valid() {
		return 0, false
	}
	return g.LowerBound.PPS, true
}

// failure gives the error that a search returns: the cause of its end, when
// that was an error of the trial or of the context.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if cause := errors.Unwrap(err); cause != nil {
		return &Error{Text: err.Error(), Cause: cause}
	}
	return nil
}

// Error is a search that ended because a trial failed or the user stopped it.
// The report that comes with it holds what was known until then.
type Error struct {
	Text  string
	Cause error
}

// Error says which trial it was, and why it failed.
func (e *Error) Error() string { return "search: " + e.Text }

// Unwrap gives the trial's error, or the context's.
func (e *Error) Unwrap() error { return e.Cause }
