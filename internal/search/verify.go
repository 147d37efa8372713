package search

import "context"

// verifyAll looks at all regular results again. Its trials come after the search
// and change no bounds.
func (c *controller) verifyAll(ctx context.Context, r *Report, margin float64) error {
	for i := range r.Goals {
		g := &r.Goals[i]
		if !g.Valid() {
			continue
		}
		reason, err := c.verify(ctx, c.finals[i], c.scale.steps(margin))
		if early, ok := reasonOf(err); ok {
			return c.unverified(r, i, early, err)
		}
		if reason.Code != "" {
			g.Reasons = append(g.Reasons, reason)
			continue
		}
		g.Verified = true
	}
	return nil
}

// unverified ends the verification. Results stand when only the time ran out.
func (c *controller) unverified(r *Report, from int, early Reason, err error) error {
	if early.Code != OutOfTime {
		r.Reasons = append(r.Reasons, early)
	}
	for i := from; i < len(r.Goals); i++ {
		if g := &r.Goals[i]; g.Valid() {
			g.endedBy(early)
		}
	}
	return err
}

// verify looks some steps below the lower bound and above the upper one.
func (c *controller) verify(ctx context.Context, t *target, margin int) (Reason, error) {
	b := c.data.relevant(t.criterion)
	low, high := max(0, b.lower.load-margin), min(c.scale.top, b.upper.load+margin)
	const advice = "the device changed meanwhile, or is noisy; repeat the search, or take a longer duration sum"
	if ok, err := c.still(ctx, t, low, lowerBound); err != nil {
		return Reason{}, err
	} else if !ok {
		return because(Unstable, "%s was found to be carried, and at the end of the search %s was not: %s",
			rate(c.scale.pps(b.lower.load)), rate(c.scale.pps(low)), advice), nil
	}
	if ok, err := c.still(ctx, t, high, upperBound); err != nil {
		return Reason{}, err
	} else if !ok {
		return because(Unstable, "%s was found to be too much, and at the end of the search %s was carried: %s",
			rate(c.scale.pps(b.upper.load)), rate(c.scale.pps(high)), advice), nil
	}
	return Reason{}, nil
}

// enough trials that all agree with what is expected spare the rest of the
// duration sum; one alone may be a passing disturbance.
const enough = 2

// still measures a load afresh until it is known whether it is such a bound.
func (c *controller) still(ctx context.Context, t *target, i int, expected class) (bool, error) {
	var fresh []sample
	agree := 0
	for {
		s, err := c.runner.measure(ctx, load(c.trial, PhaseVerify, c.scale.pps(i), t.trial))
		if err != nil {
			return false, err
		}
		fresh = append(fresh, s)
		if s.high(t.lossRatio) == (expected == upperBound) {
			agree++
		}
		if found := t.classify(fresh); found != undecided {
			return found == expected, nil
		}
		if agree == len(fresh) && agree == enough {
			return true, nil
		}
	}
}
