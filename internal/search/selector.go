package search

import "time"

// selector takes one goal from its coarsest target to its final one.
type selector struct {
	final    *target
	strategy *strategy
	scale    scale
	data     *database
	common   *int
	latest   move
}

func newSelector(final *target, s scale, d *database, start bounds, common *int) *selector {
	return &selector{
		final: final, scale: s, data: d, common: common,
		strategy: newStrategy(final.coarsest(), s, start, common),
	}
}

// candidate is a trial that a selector asks for.
type candidate struct {
	move
	duration time.Duration
	selector *selector
}

// nominate gives the next trial for this goal. It fails when the goal is
// reached, or cannot be.
func (s *selector) nominate() (candidate, bool) {
	for {
		b := s.data.relevant(s.strategy.criterion)
		if m, ok := s.strategy.nominate(b); ok {
			s.latest = m
			return candidate{move: m, duration: s.strategy.trial, selector: s}, true
		}
		next := s.strategy.target.after(s.final)
		if next == nil {
			return candidate{}, false
		}
		s.strategy = newStrategy(next, s.scale, b, s.common)
	}
}

// won takes notice that this selector's trial was made.
func (s *selector) won() {
	s.strategy.won(s.latest, s.data.relevant(s.strategy.criterion))
}

// before reports whether the trial should be made before the other one. Lower
// loads come first, so that a bound found early is seldom overturned later
// (RFC 9971 clause 5.3.4), then longer trials, which serve other goals too.
func (c candidate) before(other candidate) bool {
	switch {
	case c.load != other.load:
		return c.load < other.load
	case c.duration != other.duration:
		return c.duration > other.duration
	default:
		return c.width > other.width
	}
}
