package record

// SearchReason is why a search has no rate to give, or one to doubt. The strings are stable.
type SearchReason string

// The reasons of searches.
const (
	// ReasonNoUpperBound: the highest load is still a lower bound. The device does at
	// least that.
	ReasonNoUpperBound SearchReason = "no_upper_bound"
	// ReasonNoLowerBound: the lowest load is already an upper bound.
	ReasonNoLowerBound SearchReason = "no_lower_bound"
	// ReasonBenchLimit: above the lower bound the generator or its sink failed, not
	// the device, which does at least that.
	ReasonBenchLimit SearchReason = "bench_limit"
	// ReasonNoConvergence: the bounds did not come as close as the goal asks.
	ReasonNoConvergence SearchReason = "no_convergence"
	// ReasonUnstable: at the end of the search the device behaved otherwise than the
	// bounds say, by more than five times the margin of the verification.
	ReasonUnstable SearchReason = "unstable"
	// ReasonUnsteady: by more than the margin, but not that much. The result is kept, and
	// says by how much.
	ReasonUnsteady SearchReason = "unsteady"
	// ReasonRepeated: the result is that of a second search, after the device had changed in
	// the first. The result is kept.
	ReasonRepeated SearchReason = "repeated"
	// ReasonUnverified: the time did not suffice to look at the bounds again. The
	// result is kept.
	ReasonUnverified SearchReason = "unverified"
	// ReasonCoarse: the time did not suffice to bring the bounds as close as the goal asks. The
	// result is kept, and is no Regular Goal Result.
	ReasonCoarse SearchReason = "coarse"
	// ReasonDisturbed: the bench sent unevenly in the trials that decided on the upper
	// bound, which may have cost the packets. The result is kept.
	ReasonDisturbed SearchReason = "disturbed"
	// ReasonWireLimit: wire does not carry the rate with a margin either. The result is kept, and
	// the device does at least that.
	ReasonWireLimit SearchReason = "wire_limit"
	// ReasonLossFloor: packets are lost at any load alike, so no load is without loss.
	ReasonLossFloor SearchReason = "loss_floor"
	// ReasonOutOfTime: the budget of time was used up.
	ReasonOutOfTime SearchReason = "out_of_time"
	// ReasonInvalidTrials: trials at one load remained invalid, however often they were
	// repeated.
	ReasonInvalidTrials SearchReason = "invalid_trials"
	// ReasonNothingSent: the generator sent no packet.
	ReasonNothingSent SearchReason = "nothing_sent"
	// ReasonTrialFailed: a trial ended with an error.
	ReasonTrialFailed SearchReason = "trial_failed"
	// ReasonInterrupted: the context was cancelled.
	ReasonInterrupted SearchReason = "interrupted"
	// ReasonNotBackToBack: bursts were not sent at the rate they should be.
	ReasonNotBackToBack SearchReason = "not_back_to_back"
)
