package search

import (
	"math"
	"time"
)

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
