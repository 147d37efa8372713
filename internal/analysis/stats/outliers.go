package stats

import "math"

// outliersLeast is the least sample in which an outlier can be seen.
const outliersLeast = 5

// Outliers gives the indexes of the values that lie far from the others: modified
// z-score over 3.5 (Iglewicz and Hoaglin, "How to Detect and Handle Outliers",
// 1993), 0.6745 |x - median| / median absolute deviation. None of fewer than five
// values, or where over half of the values are the same.
func Outliers(sample []float64) (at []int) {
	const far, scale = 3.5, 0.6745
	if len(sample) < outliersLeast {
		return nil
	}
	median := Median(sample)
	deviations := make([]float64, len(sample))
	for i, v := range sample {
		deviations[i] = math.Abs(v - median)
	}
	mad := Median(deviations)
	for i, d := range deviations {
		if mad > 0 && scale*d/mad > far {
			at = append(at, i)
		}
	}
	return at
}
