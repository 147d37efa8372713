package search

import (
	"context"
	"math"
	"time"
)

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

// side of an interval.
type side int

const (
	neither side = iota
	lowerSide
	upperSide
)

// move is a load that is worth a trial.
type move struct {
	load  int
	width int // the step of all goals, when this is the trial that is made
	// expandOn widens the next step when the load turns out to be that bound:
	// the bound looked for lies further out.
	expandOn side
}

// strategy seeks the bounds of one target, starting from two loads that are
// likely close: the bounds of the coarser target, or of the initial trials.
type strategy struct {
	*target
	scale  scale
	start  bounds // either may be missing
	next   int    // step to take when a bound is missing
	common *int   // step that all goals share: see move.width
}

func newStrategy(t *target, s scale, start bounds, common *int) *strategy {
	p := &strategy{target: t, scale: s, start: start, common: common}
	width := t.width
	if start.lower.ok && start.upper.ok {
		width = max(width, start.upper.load-start.lower.load)
	}
	p.next = width * t.expansion
	return p
}

// step is the distance to go outwards. All goals go the larger one, so that two
// goals above the same bound don't creep up in turn.
func (p *strategy) step() int { return max(p.next, *p.common) }

// limit shortens the next step, now that the interval is narrower.
func (p *strategy) limit(width int) { p.next = max(width, p.width) * p.expansion }

// nominate gives the load to measure next, given the target's bounds. It fails
// when the target is reached.
func (p *strategy) nominate(b bounds) (move, bool) {
	for _, way := range [...]func(bounds) (move, bool){
		p.halve, p.refineLower, p.refineUpper, p.extendDown, p.extendUp, p.bisect,
	} {
		if m, ok := way(b); ok {
			return m, true
		}
	}
	return move{}, false
}

// won takes notice that the move was made, and what the bounds are now.
func (p *strategy) won(m move, b bounds) {
	if m.expandOn == lowerSide && b.lower == at(m.load) || m.expandOn == upperSide && b.upper == at(m.load) {
		p.next *= p.expansion
		*p.common = p.next
	}
}

// worth reports whether a trial at the load can give a better bound.
func (p *strategy) worth(load int, b bounds) bool {
	switch {
	case b.lower.ok && b.lower.load >= load, b.upper.ok && b.upper.load <= load:
		return false
	default:
		return !b.narrow(p.width)
	}
}

// begin makes up to three trials to find two loads near the bounds of the
// strictest goal: at the highest load, then where the forwarding rate seen there
// points to (Trial Forwarding Rate, RFC 9971 clause 4.5.7). Either bound is only
// a guess.
func (c *controller) begin(ctx context.Context) (bounds, error) {
	ratio, duration, width := c.strictest()
	top := c.scale.top
	first, err := c.measure(ctx, PhaseInitial, top, duration)
	if err != nil {
		return bounds{}, err
	}
	hint := c.hint(top, first, ratio)
	if hint >= top {
		return bounds{at(top), at(top)}, nil
	}
	one, _ := c.scale.place(hint, width, bounds{upper: at(top)})
	second, err := c.measure(ctx, PhaseInitial, one, duration)
	if err != nil {
		return bounds{}, err
	}
	another, ok := c.scale.place(one+width, width, bounds{lower: at(one), upper: at(top)})
	if second.high(ratio) {
		another, ok = c.scale.place(c.hint(one, second, ratio), width, bounds{upper: at(one)})
	}
	if !ok {
		return bounds{at(one), at(one)}, nil
	}
	if _, err := c.measure(ctx, PhaseInitial, another, duration); err != nil {
		return bounds{}, err
	}
	return bounds{at(min(one, another)), at(max(one, another))}, nil
}

// hint is the load whose loss would be just the ratio, if the device forwarded
// as much as it did at load i.
func (c *controller) hint(i int, s sample, ratio float64) int {
	return c.scale.floor(c.scale.pps(i) * (1 - s.loss) / (1 - ratio))
}

// strictest takes the smallest loss ratio, the longest trial and the largest
// width of the coarsest targets, so that these trials serve all of them.
func (c *controller) strictest() (ratio float64, d time.Duration, width int) {
	ratio = math.Inf(1)
	for _, final := range c.finals {
		t := final.coarsest()
		ratio, d, width = min(ratio, t.lossRatio), max(d, t.trial), max(width, t.width)
	}
	return ratio, d, width
}

// extendUp goes up from the lower bound when there is no upper one, in growing
// steps.
func (p *strategy) extendUp(b bounds) (move, bool) {
	if b.upper.ok || !b.lower.ok || b.lower.load >= p.scale.top {
		return move{}, false
	}
	return p.extend(b.lower.load+p.step(), lowerSide, b)
}

// extendDown goes down from the upper bound when there is no lower one.
func (p *strategy) extendDown(b bounds) (move, bool) {
	if b.lower.ok || !b.upper.ok || b.upper.load <= 0 {
		return move{}, false
	}
	return p.extend(b.upper.load-p.step(), upperSide, b)
}

func (p *strategy) extend(load int, expandOn side, b bounds) (move, bool) {
	load, ok := p.scale.place(load, p.width, b)
	if !ok || !p.worth(load, b) {
		return move{}, false
	}
	return move{load: load, width: p.step(), expandOn: expandOn}, true
}

// halve tries the middle of the starting interval first: the coarser target
// left it twice as wide as this one needs.
func (p *strategy) halve(b bounds) (move, bool) {
	if !p.start.lower.ok || !p.start.upper.ok {
		return move{}, false
	}
	lo, hi := p.start.lower.load, p.start.upper.load
	if hi-lo > 2*p.width || hi-lo <= p.width {
		return move{}, false
	}
	return p.refine(at(middle(lo, hi, p.width)), b)
}

// refineLower measures the coarser target's lower bound by this target's
// measure.
func (p *strategy) refineLower(b bounds) (move, bool) { return p.refine(p.start.lower, b) }

// refineUpper does so with the upper bound.
func (p *strategy) refineUpper(b bounds) (move, bool) { return p.refine(p.start.upper, b) }

func (p *strategy) refine(m mark, b bounds) (move, bool) {
	if !m.ok || !p.worth(m.load, b) {
		return move{}, false
	}
	p.limit(p.width)
	return move{load: m.load, width: p.width}, true
}
