package search

import (
	"context"
	"time"
)

// controller is one MLRsearch under way.
type controller struct {
	trial  Trial
	runner *runner
	from   int // in the runner's log, its first trial
	scale  scale
	finals []*target // of the goals, in their order
	warmup time.Duration
	data   database
}

// search makes trials until no goal asks for another one.
func (c *controller) search(ctx context.Context) error {
	if err := c.warmUp(ctx); err != nil {
		return err
	}
	start, err := c.begin(ctx)
	if err != nil {
		return err
	}
	common := start.upper.load - start.lower.load
	var selectors []*selector
	for _, t := range c.finals {
		selectors = append(selectors, newSelector(t, c.scale, &c.data, start, &common))
	}
	for {
		winner, ok := elect(selectors)
		if !ok {
			return nil
		}
		if _, err := c.measure(ctx, PhaseSearch, winner.load, winner.duration); err != nil {
			return err
		}
		common = winner.width
		winner.selector.won()
	}
}

// elect takes the candidate that comes first; of equal ones, that of the earlier
// goal.
func elect(selectors []*selector) (candidate, bool) {
	var winner candidate
	found := false
	for _, s := range selectors {
		if c, ok := s.nominate(); ok && (!found || c.before(winner)) {
			winner, found = c, true
		}
	}
	return winner, found
}

// measure makes a trial and puts it into the database.
func (c *controller) measure(ctx context.Context, phase Phase, i int, d time.Duration) (sample, error) {
	w := load(c.trial, phase, c.scale.pps(i), d)
	w.decided = func(o Outcome) bool { return c.indifferent(i, o) }
	s, err := c.runner.measure(ctx, w)
	if err != nil {
		return s, err
	}
	c.data.add(i, s)
	return s, nil
}

// indifferent reports whether no goal depends on how much of a trial's loss at a load
// was the bench's: it is little enough for the goal as it is, or the load is known to
// be too much for it.
func (c *controller) indifferent(i int, o Outcome) bool {
	for _, t := range c.finals {
		if o.lossRatio() <= t.lossRatio {
			continue
		}
		if b := c.data.relevant(t.criterion); !b.upper.ok || i < b.upper.load {
			return false
		}
	}
	return true
}

func (c *controller) warmUp(ctx context.Context) error {
	if c.warmup == 0 {
		return nil
	}
	_, err := c.runner.measure(ctx, load(c.trial, PhaseWarmup, c.scale.max, c.warmup))
	return err
}
