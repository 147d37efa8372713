package search

import (
	"context"
	"math"

	"github.com/upflab/upflab/internal/record"
)

// verifyAll looks at all regular results again. Its trials come after the search
// and change no bounds.
func (c *controller) verifyAll(ctx context.Context, r *Report, margin float64) error {
	for i := range r.Goals {
		g := &r.Goals[i]
		if !g.Valid() {
			continue
		}
		off, reason, err := c.verify(ctx, c.finals[i], margin, g.LimitedBy)
		if early, ok := reasonOf(err); ok {
			return c.unverified(r, i, early, err)
		}
		g.Off = off
		g.Verified = reason.Code != record.ReasonUnstable
		if reason.Code != "" {
			g.Reasons = append(g.Reasons, reason)
		}
	}
	r.shareOff(margin)
	return nil
}

// shareOff makes the rates of all goals as uncertain as that of the least steady one:
// what was looked at first may have changed since.
func (r *Report) shareOff(margin float64) {
	worst := 0.0
	for _, g := range r.Goals {
		if g.Verified {
			worst = max(worst, g.Off)
		}
	}
	for i := range r.Goals {
		if g := &r.Goals[i]; g.Verified && g.Off < worst {
			if g.Off <= margin {
				g.Reasons = append(g.Reasons, unsteady(worst))
			}
			g.Off = worst
		}
	}
}

func unsteady(off float64) Reason {
	return because(record.ReasonUnsteady, "at the end of the search a rate was up to %v %% off: the device, or this machine, is not steady", 100*off)
}

// unverified ends the verification. Results are kept when only the time ran out.
func (c *controller) unverified(r *Report, from int, early Reason, err error) error {
	if early.Code != record.ReasonOutOfTime {
		r.Reasons = append(r.Reasons, early)
	}
	for i := from; i < len(r.Goals); i++ {
		if g := &r.Goals[i]; g.Valid() {
			g.endedBy(early)
		}
	}
	return err
}

// margins are how far off its bounds a device may be at the end of a search, in
// margins of the verification: beyond the first it is not steady, beyond the last
// there is no rate to give.
var margins = [...]float64{1, 2.5, 5}

// worst is the last of them.
func worst(margin float64) float64 { return margin * margins[len(margins)-1] }

// verify looks below the lower bound and above the upper one, by how much the device
// is off by now, relative. A reason says so when that is more than the margin.
func (c *controller) verify(ctx context.Context, t *target, margin float64, limitedBy record.Limit) (off float64, r Reason, err error) {
	b := c.data.relevant(t.criterion)
	low, err := c.off(ctx, t, margin, b.lower.load, lowerBound)
	if err != nil {
		return 0, r, err
	}
	const advice = "the UPF or the machine changed meanwhile; take a longer duration sum"
	worst := worst(margin)
	if low > worst {
		return low, because(record.ReasonUnstable, "%s was carried, but at the end of the search not even %v %% less was; %s",
			rate(c.scale.pps(b.lower.load)), 100*worst, advice), nil
	}
	high, err := c.off(ctx, t, margin, b.upper.load, upperBound)
	switch {
	case err != nil:
		return 0, r, err
	case high > worst && ofBench(limitedBy):
		return low, because(record.ReasonUnsteady,
			"%s was found to be too much for the bench, and at the end of the search even %v %% more was carried: "+
				"the rate given is a lower bound",
			rate(c.scale.pps(b.upper.load)), 100*worst), nil
	case high > worst:
		return high, because(record.ReasonUnstable, "%s was found to be too much, and at the end of the search even %v %% more was carried: %s",
			rate(c.scale.pps(b.upper.load)), 100*worst, advice), nil
	}
	if off = max(low, high); off > margin {
		r = unsteady(off)
	}
	return off, r, nil
}

// ofBench reports whether a limit is not the device's, so that a rate is one that it
// does at least.
func ofBench(limitedBy record.Limit) bool {
	return limitedBy == record.LimitLink || limitedBy == record.LimitHost || limitedBy == record.LimitGenerator
}

// off is how far off a bound the device behaves as that bound says, relative: one of
// the margins, or more than all of them.
func (c *controller) off(ctx context.Context, t *target, margin float64, bound int, expected class) (float64, error) {
	for _, m := range margins {
		steps := c.scale.steps(m * margin)
		at := max(0, bound-steps)
		if expected == upperBound {
			at = min(c.scale.top, bound+steps)
		}
		ok, lost, err := c.still(ctx, t, at, expected, m*margin/2)
		if err != nil || ok {
			return m * margin, err
		}
		if expected == lowerBound && lost > t.lossRatio+worst(margin) {
			break // it does not carry what is below the last margin either
		}
	}
	return math.Inf(1), nil
}

// enough trials that all agree with what is expected spare the rest of the
// duration sum; one alone may be a passing disturbance.
const enough = 2

// still measures a load afresh until it is known whether it is such a bound. A trial that
// loses so much more than the goal allows, relative, decides alone: a full device loses at
// least that where it is looked at, and a host that pauses seldom costs as much. lost is the
// least loss ratio of the trials.
func (c *controller) still(ctx context.Context, t *target, i int, expected class, plainly float64) (ok bool, lost float64, err error) {
	var fresh []sample
	agree := 0
	lost = 1
	for {
		s, err := c.runner.measure(ctx, load(c.trial, PhaseVerify, c.scale.pps(i), t.trial))
		if err != nil {
			return false, lost, err
		}
		fresh, lost = append(fresh, s), min(lost, s.loss)
		if s.high(t.lossRatio) == (expected == upperBound) {
			agree++
		}
		if found := t.classify(fresh); found != undecided {
			return found == expected, lost, nil
		}
		plain := s.loss >= t.lossRatio+plainly && s.limitedBy != record.LimitHost && !s.disturbed
		if agree == len(fresh) && (agree == enough || expected == upperBound && plain) {
			return true, lost, nil
		}
	}
}
