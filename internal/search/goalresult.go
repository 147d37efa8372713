package search

import "github.com/upflab/upflab/internal/record"

// report sums up the trials so far; ended is why the search
// stopped, nil when it came to its own end.
func (m MLRsearch) report(c *controller, ended error) Report {
	r := Report{
		Method: MethodMLRsearch, MinPPS: m.MinPPS, MaxPPS: m.MaxPPS,
		Conditions: m.Conditions, claims: m.Claims,
	}
	reason, early := reasonOf(ended)
	if early {
		r.Reasons = append(r.Reasons, reason)
	}
	for i, g := range m.Goals {
		result := c.result(g, c.finals[i])
		if early && reason.Code == OutOfTime && !result.Valid() {
			result = c.coarse(result, c.finals[i])
		}
		if early {
			result.endedBy(reason)
		}
		r.Goals = append(r.Goals, result)
	}
	return r
}

// endedBy notes that the search ended early. A goal that was reached before the
// time ran out has its result, though the device was not checked again.
func (g *GoalResult) endedBy(reason Reason) {
	if reason.Code == OutOfTime && g.Valid() {
		g.Reasons = append(g.Reasons, because(Unverified, "no time was left to look at the device again: %s", reason.Text))
		return
	}
	g.Reasons = append([]Reason{reason}, g.Reasons...)
}

// result is the Goal Result of one goal.
func (c *controller) result(g Goal, final *target) GoalResult {
	b := c.data.relevant(final.criterion)
	r := GoalResult{Goal: g}
	if b.lower.ok {
		trials := c.data.at(b.lower.load)
		r.LowerBound = c.bound(b.lower.load, final.criterion)
		r.ConditionalThroughput = r.LowerBound.PPS * (1 - final.quantileLoss(trials))
		r.LimitedBy = limitedBy(trials, false, final.lossRatio)
	}
	if b.upper.ok {
		r.UpperBound = c.bound(b.upper.load, final.criterion)
		r.LimitedBy = limitedBy(c.data.at(b.upper.load), true, final.lossRatio)
	}
	r.LastLowerPPS, r.LastUpperPPS = c.last(final)
	if reason, bad := c.irregular(r, b, final); bad {
		r.Reasons = append(r.Reasons, reason)
	}
	return r
}

// coarsest is how far apart bounds may be, relative, that are the answer of a search that ran
// out of time: as far as a device may be off at the end of one that did not.
const coarsest = 0.1

// coarse is what a goal comes to that was not reached in time: the bounds by its own trials,
// or else by those of the latest step before that has near ones. Without
// them it is the result given.
func (c *controller) coarse(r GoalResult, final *target) GoalResult {
	for t := final; t != nil; t = t.coarser {
		wide := *t
		wide.width = c.scale.steps(coarsest)
		if found := c.result(r.Goal, &wide); len(found.Reasons) == 0 {
			found.LastLowerPPS, found.LastUpperPPS = r.LastLowerPPS, r.LastUpperPPS
			found.Reasons = append(found.Reasons, because(Coarse,
				"the time ended with the bounds %.2g %% apart, by %v of trials at a load: the rate is between %s and %s; give it more time to know it better",
				100*found.width(), t.sum, rate(found.LowerBound.PPS), rate(found.UpperBound.PPS)))
			return found
		}
	}
	return r
}

// last gives the bounds by the finest target that has them.
func (c *controller) last(t *target) (lower, upper float64) {
	for ; t != nil; t = t.coarser {
		b := c.data.relevant(t.criterion)
		if pps := c.scale.pps(b.lower.load); b.lower.ok && lower == 0 && (upper == 0 || pps < upper) {
			lower = pps
		}
		if pps := c.scale.pps(b.upper.load); b.upper.ok && upper == 0 && pps > lower {
			upper = pps
		}
	}
	return lower, upper
}

func (c *controller) bound(i int, of criterion) *Bound {
	trials := c.data.at(i)
	s := of.sums(trials)
	return &Bound{
		PPS: c.scale.pps(i), Trials: len(trials),
		LowLoss: s.fullLow + s.shortLow, HighLoss: s.fullHigh + s.shortHigh,
	}
}

// irregular says why a result is an Irregular Goal Result (RFC 9971 clause
// 4.8.4.2), or rests on the bench rather than on the device.
func (c *controller) irregular(r GoalResult, b bounds, final *target) (Reason, bool) {
	switch {
	case b.lower.ok && b.lower.load == c.scale.top:
		return because(NoUpperBound, "the highest load of %s is carried: the device does at least that; raise the highest load if the generator can do more",
			rate(c.scale.max)), true
	case b.upper.ok && beyondBench(c.data.at(b.upper.load), final.lossRatio):
		return c.benchLimit(r), true
	case b.upper.ok && b.upper.load == 0:
		return because(NoLowerBound, "already the lowest load of %s loses more than %v %%: lower it, or see whether the device forwards at all",
			rate(c.scale.min), 100*final.lossRatio), true
	case !b.narrow(final.width):
		return because(NoConvergence, "the search ended before its bounds were within %v %%", 100*r.Goal.Width), true
	}
	if floor := lossFloor(c.runner.log[c.from:], r.LowerBound.PPS, final.lossRatio); floor != "" {
		return because(LossFloor, "%s", floor), true
	}
	return Reason{}, false
}

func (c *controller) benchLimit(r GoalResult) Reason {
	const advice = "; use a faster generator, larger frames or more cores for it"
	if r.LowerBound == nil {
		return because(BenchLimit, "the bench does not even reach %s%s", rate(r.UpperBound.PPS), advice)
	}
	return because(BenchLimit, "at %s it is the %s that fails, not the device, which does at least %s%s",
		rate(r.UpperBound.PPS), record.LimitGenerator, rate(r.LowerBound.PPS), advice)
}
