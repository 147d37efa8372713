package changes

import (
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// normalMAD is the median absolute deviation of a normal distribution with a standard
// deviation of 1.
const normalMAD = 0.6745

// successiveNoise takes the noise from the differences of neighbours, which a few changes
// of the level do not touch.
func successiveNoise(y []float64) float64 {
	var steps []float64
	for i := 1; i < len(y); i++ {
		steps = append(steps, (y[i]-y[i-1])/math.Sqrt2)
	}
	return spread(steps, float64(len(steps)))
}

// noiseWithin takes it from the distances to the levels of the segments.
func noiseWithin(y, clipped []float64, cuts []int) float64 {
	var away []float64
	for i := 1; i < len(cuts); i++ {
		level := mean(clipped[cuts[i-1]:cuts[i]])
		for _, v := range y[cuts[i-1]:cuts[i]] {
			away = append(away, v-level)
		}
	}
	return spread(away, max(1, float64(len(y)-len(cuts)+1)))
}

const (
	// far is how many standard deviations off a value counts no more.
	far = 2
	// kept is the variance of a standard normal value that is clipped there.
	kept = 0.92054
)

// spread is the standard deviation of distances that have so many degrees of freedom, the
// far ones clipped: Proposal 2 of Huber, "Robust Estimation of a Location Parameter", 1964.
// Where more than half are 0 it is 0.
func spread(away []float64, freedom float64) float64 {
	sizes := make([]float64, len(away))
	for i, v := range away {
		sizes[i] = math.Abs(v)
	}
	s := stats.Median(sizes) / normalMAD
	const rounds = 30
	for range rounds {
		sum, most := 0.0, far*s
		for _, v := range sizes {
			v = min(v, most)
			sum += v * v
		}
		s = math.Sqrt(sum / freedom / kept)
	}
	return s
}

// around is how many neighbours on each side an outlier is held against.
const around = 3

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
