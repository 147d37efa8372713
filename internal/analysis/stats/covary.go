package stats

import "math"

// Covary says whether y moves with x within groups of pairs, whatever the groups differ by: the
// slope of the common regression line, and the one-sided p of a slope above 0 by Student's t
// of the correlation. Without enough pairs, or where x is the same in each, p is 1.
func Covary(groups ...[][2]float64) (slope, p float64) {
	var xx, yy, xy float64
	free := -1
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		var x, y float64
		for _, pair := range g {
			x, y = x+pair[0]/float64(len(g)), y+pair[1]/float64(len(g))
		}
		for _, pair := range g {
			xx += (pair[0] - x) * (pair[0] - x)
			yy += (pair[1] - y) * (pair[1] - y)
			xy += (pair[0] - x) * (pair[1] - y)
		}
		free += len(g) - 1
	}
	if free < 1 || xx == 0 || yy == 0 {
		return 0, 1
	}
	rest := max(1-xy*xy/xx/yy, 1e-12)
	t := xy / math.Sqrt(xx*yy) * math.Sqrt(float64(free)/rest)
	return xy / xx, studentTail(t, float64(free))
}
