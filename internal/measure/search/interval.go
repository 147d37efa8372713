package search

// mark is a load that may be missing.
type mark struct {
	load int
	ok   bool
}

func at(load int) mark { return mark{load: load, ok: true} }

// bounds are the tightest bounds known for a target.
type bounds struct{ lower, upper mark }

// narrow reports whether both bounds are there, within width of each other.
func (b bounds) narrow(width int) bool {
	return b.lower.ok && b.upper.ok && b.upper.load-b.lower.load <= width
}

// middle splits an interval wider than width. One part is the width times a
// power of two, if that is possible, so that later halves come out even; the
// lower part is the smaller one, because low loads are the safer ones to try.
func middle(lower, upper, width int) int {
	span := upper - lower
	switch {
	case span == 2*width:
		return lower + width
	case span < 2*width && width%2 == 0:
		return middle(lower, upper, width/2)
	case span < 2*width:
		return lower + span/2
	}
	part := width
	for span-2*part > 2*part {
		part *= 2
	}
	// The even split lies between part and twice that: take the nearer.
	if twice := 2 * part; part*(span-part) <= twice*(span-twice) {
		return lower + span - twice
	}
	return lower + part
}

// place moves a load away from bounds and ends that it is closer to than width.
// Between two bounds it keeps off both; the ends of the scale may be used
// themselves. It fails when there is no room left.
func (s scale) place(load, width int, b bounds) (int, bool) {
	load = clamp(load, 0, s.top)
	lo, hi := 0, s.top
	if b.lower.ok {
		lo = b.lower.load
	}
	if b.upper.ok {
		hi = b.upper.load
	}
	if b.lower.ok && load <= lo || b.upper.ok && load >= hi {
		return 0, false
	}
	if hi-lo <= width {
		return end(lo, hi, b)
	}
	first, last := lo+width, hi-width
	if first > last {
		first = middle(lo, hi, width)
		last = first
	}
	switch {
	case load < first && b.lower.ok:
		return first, true
	case load < first:
		return lo, true
	case load > last && b.upper.ok:
		return last, true
	case load > last:
		return hi, true
	}
	return load, true
}

// end picks an end of the scale that is not a bound.
func end(lo, hi int, b bounds) (int, bool) {
	switch {
	case !b.lower.ok:
		return lo, true
	case !b.upper.ok:
		return hi, true
	default:
		return 0, false
	}
}
