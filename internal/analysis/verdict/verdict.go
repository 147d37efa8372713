package verdict

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
}

// Judge decides on the evidence of one trial.
func Judge(e Evidence) Verdict {
	faults := faults(e)
	limit, why := limitOf(e)
	reasons := append([]string{}, faults...)
	if why != "" {
		reasons = append(reasons, why)
	}
	return Verdict{
		LimitedBy: limit,
		Valid:     len(faults) == 0,
		Reasons:   append(reasons, doubts(e)...),
	}
}
