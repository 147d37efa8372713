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

// halving finds two neighbours lo, hi = lo+1 with good(lo) and not good(hi) in
// lo..hi, of which it is already known that good(lo) and not good(hi).
func halving(lo, hi uint64, good func(uint64) (bool, error)) (uint64, uint64, error) {
	for hi-lo > 1 {
		middle := lo + (hi-lo)/2
		ok, err := good(middle)
		if err != nil {
			return lo, hi, err
		}
		if ok {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo, hi, nil
}

// gallop looks for the first of 0, 1, 3, 7 ... top that is not good, and the good
// one before it: short bursts take less time than long ones. hi is 0 when not
// even 0 is good, lo is top when all are.
func gallop(top uint64, good func(uint64) (bool, error)) (lo, hi uint64, err error) {
	for n := uint64(0); ; n = min(top, 2*n+1) {
		ok, err := good(n)
		if err != nil || !ok {
			return lo, n, err
		}
		if lo = n; n == top {
			return lo, n + 1, nil
		}
	}
}
