package stats

import (
	"math"
	"slices"
)

// Median is the middle of a sample, the mean of the two middle ones when their
// number is even; NaN for an empty sample. The sample is left as it is.
func Median(sample []float64) float64 { return Percentile(sample, 50) }

// MedianOf is the median of a figure of each of a list.
func MedianOf[T any](list []T, figure func(*T) float64) float64 {
	sample := make([]float64, len(list))
	for i := range list {
		sample[i] = figure(&list[i])
	}
	return Median(sample)
}

// MinMax gives the extremes; NaN, NaN for an empty sample.
func MinMax(sample []float64) (lo, hi float64) {
	if len(sample) == 0 {
		return math.NaN(), math.NaN()
	}
	return slices.Min(sample), slices.Max(sample)
}

// Percentile gives the value below which p percent of the sample lie, p in
// 0..100 (beyond is clamped), by linear interpolation between the two nearest
// ranks (Hyndman and Fan's definition 7, the default of R and NumPy). NaN for
// an empty sample. It is meant for a few repeats; distributions of packets
// have histograms.
func Percentile(sample []float64, p float64) float64 {
	if len(sample) == 0 || math.IsNaN(p) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(sample))
	return percentileSorted(sorted, p)
}

func percentileSorted(sorted []float64, p float64) float64 {
	rank := min(max(p, 0), 100) / 100 * float64(len(sorted)-1)
	below := int(rank)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := rank - float64(below)
	return sorted[below] + part*(sorted[below+1]-sorted[below])
}
