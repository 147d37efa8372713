package search

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Goal is a Search Goal (RFC 9971 clause 4.6.7): what makes a load a lower
// bound, and how close the bounds have to come.
type Goal struct {
	Name string // in reports: "ndr", "pdr" ...
	// LossRatio is the Goal Loss Ratio, 0..1 but not 1: a trial that loses more
	// is a high-loss trial (clause 4.6.3).
	LossRatio float64
	// ExceedRatio is the Goal Exceed Ratio, 0..1 but not 1: that part of the
	// duration sum may be high-loss trials at a lower bound (clause 4.6.4).
	ExceedRatio float64
	// Width is the Goal Width (clause 4.6.5), relative: (upper - lower) / upper,
	// 0.0001..0.5.
	Width float64
	// InitialTrialDuration is that of the first, coarse trials (clause 4.6.6);
	// 10 ms and up.
	InitialTrialDuration time.Duration
	// FinalTrialDuration is the Goal Final Trial Duration (clause 4.6.1): shorter
	// trials are short trials, which count for less.
	FinalTrialDuration time.Duration
	// DurationSum is the Goal Duration Sum (clause 4.6.2): trials of that length
	// together decide on a load. At least FinalTrialDuration.
	DurationSum time.Duration
	// Coarser is how many coarser targets come before this one, each with twice
	// the width and a shorter duration sum, 1..10; 0 means 2. It changes how long
	// a search takes, not what it finds.
	Coarser int
	// Expansion multiplies the step of a search that has only one bound, 2..16;
	// 0 means 2.
	Expansion int
}

const (
	defaultCoarser   = 2
	defaultExpansion = 2
	shortestTrial    = 10 * time.Millisecond
	narrowest        = 1e-4
	widest           = 0.5
)

func (g Goal) withDefaults() Goal {
	if g.Coarser == 0 {
		g.Coarser = defaultCoarser
	}
	if g.Expansion == 0 {
		g.Expansion = defaultExpansion
	}
	return g
}

// check refuses values outside their ranges.
func (g Goal) check() error {
	return errors.Join(
		g.unless(g.LossRatio >= 0 && g.LossRatio < 1, "loss ratio %v: use 0 up to but not 1", g.LossRatio),
		g.unless(g.ExceedRatio >= 0 && g.ExceedRatio < 1, "exceed ratio %v: use 0 up to but not 1", g.ExceedRatio),
		g.unless(g.Width >= narrowest && g.Width <= widest, "width %v: use %v to %v", g.Width, narrowest, widest),
		g.unless(g.InitialTrialDuration >= shortestTrial, "initial trials of %v: use %v or more", g.InitialTrialDuration, shortestTrial),
		g.unless(g.FinalTrialDuration >= g.InitialTrialDuration,
			"final trials of %v are shorter than the initial ones of %v", g.FinalTrialDuration, g.InitialTrialDuration),
		g.unless(g.DurationSum >= g.FinalTrialDuration, "duration sum of %v is shorter than a final trial of %v",
			g.DurationSum, g.FinalTrialDuration),
		g.unless(g.Coarser >= 1 && g.Coarser <= 10, "%d coarser targets: use 1 to 10", g.Coarser),
		g.unless(g.Expansion >= 2 && g.Expansion <= 16, "expansion %d: use 2 to 16", g.Expansion),
	)
}

func (g Goal) unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("goal %q: %s", g.Name, fmt.Sprintf(format, args...))
}

// report sums up the trials so far; ended is why the search
// stopped, nil when it came to its own end.
func (m MLRsearch) report(c *controller, ended error) Report {
	r := Report{
		Method: record.MethodMLRsearch, MinPPS: m.MinPPS, MaxPPS: m.MaxPPS,
		Conditions: m.Conditions, claims: m.Claims,
	}
	reason, early := reasonOf(ended)
	if early {
		r.Reasons = append(r.Reasons, reason)
	}
	for i, g := range m.Goals {
		result := c.result(g, c.finals[i])
		if early && reason.Code == record.ReasonOutOfTime && !result.Valid() {
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
	if reason.Code == record.ReasonOutOfTime && g.Valid() {
		g.Reasons = append(g.Reasons, because(record.ReasonUnverified, "no time was left to look at the device again: %s", reason.Text))
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

// coarse gives the result of a goal that was not reached in time: the bounds by its own trials,
// or else by those of the latest step before that has near ones. Without them it is the result
// given.
func (c *controller) coarse(r GoalResult, final *target) GoalResult {
	for t := final; t != nil; t = t.coarser {
		wide := *t
		wide.width = c.scale.steps(record.CoarsestBounds)
		if found := c.result(r.Goal, &wide); len(found.Reasons) == 0 {
			found.LastLowerPPS, found.LastUpperPPS = r.LastLowerPPS, r.LastUpperPPS
			found.Reasons = append(found.Reasons, because(record.ReasonCoarse,
				"the time ended with the bounds %.2g %% apart, by %v of trials at a load: the rate is between %s "+
					"and %s; give it more time to know it better",
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
		return because(record.ReasonNoUpperBound,
			"the highest load of %s is carried: the device does at least that; raise the highest load if the "+
				"generator can do more",
			rate(c.scale.max)), true
	case b.upper.ok && beyondBench(c.data.at(b.upper.load), final.lossRatio):
		return c.benchLimit(r), true
	case b.upper.ok && b.upper.load == 0:
		return because(record.ReasonNoLowerBound, "already the lowest load of %s loses more than %v %%: lower it, or see whether the device forwards at all",
			rate(c.scale.min), 100*final.lossRatio), true
	case !b.narrow(final.width):
		return because(record.ReasonNoConvergence, "the search ended before its bounds were within %v %%", 100*r.Goal.Width), true
	}
	if floor := lossFloor(c.runner.log[c.from:], r.LowerBound.PPS, final.lossRatio); floor != "" {
		return because(record.ReasonLossFloor, "%s", floor), true
	}
	return Reason{}, false
}

func (c *controller) benchLimit(r GoalResult) Reason {
	const advice = "; use a faster generator, larger frames or more cores for it"
	if r.LowerBound == nil {
		return because(record.ReasonBenchLimit, "the bench does not even reach %s%s", rate(r.UpperBound.PPS), advice)
	}
	return because(record.ReasonBenchLimit, "at %s the %s fails, not the UPF, which does at least %s%s",
		rate(r.UpperBound.PPS), record.LimitGenerator, rate(r.LowerBound.PPS), advice)
}

// target is a goal, or a coarser step on the way to it.
type target struct {
	criterion
	width     int // in steps of the scale
	expansion int
	coarser   *target // nil for the coarsest
}

// targetFor builds the chain of targets that ends with the goal itself. Each
// coarser one has twice the width and a shorter duration sum, down to the
// initial trial duration, in equal ratios.
func targetFor(g Goal, s scale) *target {
	var chain *target
	for step := g.Coarser; step >= 0; step-- {
		sum := g.sumAt(step)
		chain = &target{
			criterion: criterion{
				lossRatio: g.LossRatio, exceedRatio: g.ExceedRatio,
				trial: min(g.FinalTrialDuration, sum), sum: sum,
			},
			width: s.steps(g.Width) << step, expansion: g.Expansion, coarser: chain,
		}
	}
	return chain
}

// sumAt is the duration sum so many steps before the goal.
func (g Goal) sumAt(step int) time.Duration {
	switch step {
	case 0:
		return g.DurationSum
	case g.Coarser:
		return g.InitialTrialDuration
	}
	shrink := math.Pow(g.InitialTrialDuration.Seconds()/g.DurationSum.Seconds(), float64(step)/float64(g.Coarser))
	return (time.Duration(g.DurationSum.Seconds() * shrink * float64(time.Second))).Round(time.Millisecond)
}

// coarsest is the first target of the chain.
func (t *target) coarsest() *target {
	for t.coarser != nil {
		t = t.coarser
	}
	return t
}

// after is the target that follows t in the chain that ends with final; nil
// after the last.
func (t *target) after(final *target) *target {
	for next := final; next != nil; next = next.coarser {
		if next.coarser == t {
			return next
		}
	}
	return nil
}
