package stats

import "math"

// MostAdvised is how many repeats are advised at most: beyond it two figures are as good as equal.
const MostAdvised = 1000

// RepeatsFor is how many values an interval needs to reach no further than wanted, when
// that of n values reaches so far and the scatter stays as it is: it narrows with the
// square root of their number, and while they are few by Student's t, too, which is 4.3
// for three values, 2.4 for seven and 2.0 for many. 0: most do not suffice, or wanted is
// not above 0.
func RepeatsFor(n int, reach, wanted float64, most int) int {
	if n < 2 || !(wanted > 0) {
		return 0
	}
	relative := func(n int) float64 {
		return studentQuantile((1-Confidence)/2, float64(n-1)) / math.Sqrt(float64(n))
	}
	scatter := reach / relative(n)
	if !(scatter*relative(most) <= wanted) {
		return 0
	}
	lo, hi := 1, most // lo is too few
	for hi-lo > 1 {
		middle := (lo + hi) / 2
		if scatter*relative(middle) <= wanted {
			hi = middle
		} else {
			lo = middle
		}
	}
	return hi
}
