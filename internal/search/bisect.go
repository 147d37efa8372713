package search

// bisect narrows an interval that has both bounds. One of them may have come
// from another goal and lie far off, while the start is a better guess: then a
// step from the near bound towards the start beats the middle.
func (p *strategy) bisect(b bounds) (move, bool) {
	if !b.lower.ok || !b.upper.ok || b.lower.load >= p.scale.top || b.upper.load <= 0 || b.narrow(p.width) {
		return move{}, false
	}
	half := middle(b.lower.load, b.upper.load, p.width)
	if m, ok := p.stepDown(half, b); ok {
		return m, true
	}
	if m, ok := p.stepUp(half, b); ok {
		return m, true
	}
	width := min(half-b.lower.load, b.upper.load-half)
	p.limit(width)
	return move{load: half, width: width}, true
}

// stepDown goes down from the upper bound when that stays above the middle and
// comes below the start.
func (p *strategy) stepDown(half int, b bounds) (move, bool) {
	if !p.start.upper.ok || half >= p.start.upper.load {
		return move{}, false
	}
	load, ok := p.scale.place(b.upper.load-p.step(), p.width, b)
	if !ok || load <= half || load >= p.start.upper.load {
		return move{}, false
	}
	return move{load: load, width: p.step(), expandOn: upperSide}, true
}

// stepUp is its mirror image.
func (p *strategy) stepUp(half int, b bounds) (move, bool) {
	if !p.start.lower.ok || half <= p.start.lower.load {
		return move{}, false
	}
	load, ok := p.scale.place(b.lower.load+p.step(), p.width, b)
	if !ok || load >= half || load <= p.start.lower.load {
		return move{}, false
	}
	return move{load: load, width: p.step(), expandOn: lowerSide}, true
}
