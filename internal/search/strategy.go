package search

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
