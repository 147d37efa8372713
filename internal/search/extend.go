package search

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
