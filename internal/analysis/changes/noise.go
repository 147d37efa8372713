package changes

import (
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// normalMAD is the median absolute deviation of a normal distribution with a standard
// deviation of 1.
const normalMAD = 0.6745

// roughNoise takes the noise from the differences of neighbours, which a few changes of
// the level do not touch.
func roughNoise(y []float64) float64 {
	var steps []float64
	for i := 1; i < len(y); i++ {
		steps = append(steps, math.Abs(y[i]-y[i-1]))
	}
	return stats.Median(steps) / normalMAD / math.Sqrt2
}

// noiseWithin takes it from the distances to the medians of the segments.
func noiseWithin(y []float64, cuts []int) float64 {
	var away []float64
	for i := 1; i < len(cuts); i++ {
		part := y[cuts[i-1]:cuts[i]]
		middle := stats.Median(part)
		for _, v := range part {
			away = append(away, math.Abs(v-middle))
		}
	}
	n, fitted := float64(len(y)), float64(len(cuts)-1)
	return stats.Median(away) / normalMAD * math.Sqrt(n/max(1, n-fitted))
}

const (
	// around is how many neighbours on each side an outlier is held against.
	around = 3
	// far is how many standard deviations from their median a value may be.
	far = 2
)

// clip moves outliers towards the median of their neighbourhood (Hampel's filter). A new
// level is none as soon as it has the majority there.
func clip(y []float64, noise float64) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		from, to := max(0, i-around), min(len(y), i+around+1)
		middle := stats.Median(y[from:to])
		out[i] = min(max(v, middle-far*noise), middle+far*noise)
	}
	return out
}
