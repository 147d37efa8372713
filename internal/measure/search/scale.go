package search

import "math"

// scale numbers loads so that equal steps are equal ratios. Intervals can then
// be halved and doubled in whole numbers, exactly, and a relative width is a
// number of steps.
type scale struct {
	min, max float64 // packets/s of load 0 and of load top
	top      int
	log      float64 // of max/min
}

const (
	// A step is so small that each width is a whole number of steps, at most 1 % narrower
	// than asked for.
	leastOfWidth = 0.99
	// A width counts as this much less, so that rounding never makes it wider.
	mostOfWidth = 0.999999
)

// newScale divides lowest..highest, 0 < lowest < highest, for the relative
// widths in use. It ends: a width that is not fine enough asks for a whole step more,
// and from some 100 steps on each width is fine enough.
func newScale(lowest, highest float64, widths []float64) scale {
	s := scale{min: lowest, max: highest, log: math.Log(highest / lowest)}
	for s.top = 1; ; {
		finer := s.top
		for _, w := range widths {
			if !s.fits(w) {
				units := s.units(w)
				needed := (math.Floor(units) + 1) / units * float64(s.top)
				finer = max(finer, s.top+1, int(math.Ceil(needed)))
			}
		}
		if finer == s.top {
			return s
		}
		s.top = finer
	}
}

// fits reports whether a width, in whole steps, is nearly what was asked for.
func (s scale) fits(width float64) bool {
	return s.spans(width) || math.Floor(s.units(width)) >= leastOfWidth*s.units(width)
}

// spans reports whether all loads lie within the relative width.
func (s scale) spans(width float64) bool { return (s.max-s.min)/s.max <= width }

// units is the relative width in steps, not rounded.
func (s scale) units(width float64) float64 {
	return -math.Log1p(-width) * mostOfWidth / s.log * float64(s.top)
}

// steps is the relative width in whole steps, no wider than it.
func (s scale) steps(width float64) int {
	if s.spans(width) {
		return s.top
	}
	return clamp(int(math.Floor(s.units(width))), 1, s.top)
}

// pps is the load in packets/s; numbers beyond the ends give the ends.
func (s scale) pps(i int) float64 {
	switch {
	case i <= 0:
		return s.min
	case i >= s.top:
		return s.max
	default:
		return s.min * math.Exp(s.log*float64(i)/float64(s.top))
	}
}

// floor is the highest load that is not above pps, 0 when all are.
func (s scale) floor(pps float64) int {
	if !(pps > s.min) { // NaN too
		return 0
	}
	if pps >= s.max {
		return s.top
	}
	i := clamp(int(math.Log(pps/s.min)/s.log*float64(s.top)), 0, s.top)
	for i < s.top && s.pps(i+1) <= pps {
		i++
	}
	for i > 0 && s.pps(i) > pps {
		i--
	}
	return i
}

func clamp(v, lo, hi int) int { return min(max(v, lo), hi) }
