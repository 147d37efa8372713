package search

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
