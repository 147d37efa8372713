package search

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

// Code names the kind of a Reason; the strings are stable.
type Code string

// Why a search has no rate to give, or one to doubt.
const (
	// NoUpperBound: the highest load is still a lower bound. The device does at
	// least that.
	NoUpperBound Code = "no_upper_bound"
	// NoLowerBound: the lowest load is already an upper bound.
	NoLowerBound Code = "no_lower_bound"
	// BenchLimit: above the lower bound the generator or its sink failed, not
	// the device, which does at least that.
	BenchLimit Code = "bench_limit"
	// NoConvergence: the bounds did not come as close as the goal asks.
	NoConvergence Code = "no_convergence"
	// Unstable: at the end of the search the device behaved otherwise than the
	// bounds say, by more than five times the margin of the verification.
	Unstable Code = "unstable"
	// Unsteady: by more than the margin, but not that much. The result is kept, and
	// says by how much.
	Unsteady Code = "unsteady"
	// Repeated: the result is that of a second search, after the device had changed in
	// the first. The result is kept.
	Repeated Code = "repeated"
	// Unverified: the time did not suffice to look at the bounds again. The
	// result is kept.
	Unverified Code = "unverified"
	// Coarse: the time did not suffice to bring the bounds as close as the goal asks. The
	// result is kept, and is no Regular Goal Result.
	Coarse Code = record.ReasonCoarse
	// Disturbed: the bench sent unevenly in the trials that decided on the upper
	// bound, which may have cost the packets. The result is kept.
	Disturbed Code = "disturbed"
	// WireLimit: wire does not carry the rate with a margin either. The result is kept, and
	// the device does at least that.
	WireLimit Code = "wire_limit"
	// LossFloor: packets are lost at any load alike, so no load is without loss.
	LossFloor Code = "loss_floor"
	// OutOfTime: the budget of time was used up.
	OutOfTime Code = "out_of_time"
	// InvalidTrials: trials at one load remained invalid, however often they were
	// repeated.
	InvalidTrials Code = "invalid_trials"
	// NothingSent: the generator sent no packet.
	NothingSent Code = "nothing_sent"
	// TrialFailed: a trial ended with an error.
	TrialFailed Code = "trial_failed"
	// Interrupted: the context was cancelled.
	Interrupted Code = "interrupted"
	// NotBackToBack: bursts were not sent at the rate they should be.
	NotBackToBack Code = "not_back_to_back"
)

// Reason says why a result is not what was looked for.
type Reason struct {
	Code Code
	Text string // a sentence: what happened, at which load, what to do next
}

func because(c Code, format string, args ...any) Reason {
	return Reason{Code: c, Text: fmt.Sprintf(format, args...)}
}

// halt ends a search before its time.
type halt struct {
	reason Reason
	cause  error // of the trial or the context; nil when the search gave up by itself
}

// Error makes a halt an error, within this package only.
func (h *halt) Error() string { return h.reason.Text }

// Unwrap gives the cause.
func (h *halt) Unwrap() error { return h.cause }

// rate writes a load for people.
func rate(pps float64) string {
	switch {
	case pps >= 1e6:
		return fmt.Sprintf("%.4g Mpps", pps/1e6)
	case pps >= 1e3:
		return fmt.Sprintf("%.4g kpps", pps/1e3)
	default:
		return fmt.Sprintf("%.4g pps", pps)
	}
}
