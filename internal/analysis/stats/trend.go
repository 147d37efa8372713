package stats

import (
	"math"
	"slices"
)

// Trend is whether, and how fast, a quantity changes over time. It rests on ranks
// and medians, which single outliers do not move.
type Trend struct {
	Points int
	Median float64 // of the values
	// Slope is Theil and Sen's: the median of the slopes between any two points
	// (Sen, JASA 63, 1968), in units of y per unit of x; Low and High are its
	// interval of 95 %.
	Slope, Low, High float64
	// P is the probability of a run of ups and downs as long as this one if there
	// is no trend: the test of Mann and Kendall, two-sided, ties corrected.
	P float64
}

const (
	// trendBlocks bounds the points of a test: neighbours in a series depend on
	// each other, which the test does not know; medians of blocks do much less.
	trendBlocks = 50
	// trendLeast is how many points a test needs: below it the approximation of
	// its distribution is poor.
	trendLeast = 10
	z95        = 1.959963984540054 // of the normal distribution, both tails 5 %
)

// TrendOf tests a series, x ascending. It is false for fewer than ten points, and
// for x that do not ascend.
func TrendOf(x, y []float64) (Trend, bool) {
	x, y = blocks(x, y)
	n := len(x)
	if n < trendLeast || !ascending(x) {
		return Trend{Points: n}, false
	}
	slopes, s := pairs(x, y)
	slices.Sort(slopes)
	sigma := math.Sqrt(kendallVariance(y))
	t := Trend{Points: n, Median: Median(y), Slope: percentileSorted(slopes, 50), P: kendallP(s, sigma)}
	// Sen's interval: as many slopes from either end as S may be off by.
	half := z95 * sigma / 2
	middle := float64(len(slopes)) / 2
	t.Low = slopes[max(0, int(math.Round(middle-half))-1)]
	t.High = slopes[min(len(slopes)-1, int(math.Round(middle+half)))]
	return t, true
}

// pairs gives the slopes between all points, and Kendall's S: rises less falls.
func pairs(x, y []float64) (slopes []float64, s float64) {
	slopes = make([]float64, 0, len(x)*(len(x)-1)/2)
	for j := range y {
		for i := range j {
			slopes = append(slopes, (y[j]-y[i])/(x[j]-x[i]))
			switch {
			case y[j] > y[i]:
				s++
			case y[j] < y[i]:
				s--
			}
		}
	}
	return slopes, s
}

// kendallVariance is the variance of S where there is no trend.
func kendallVariance(y []float64) float64 {
	of := func(n float64) float64 { return n * (n - 1) * (2*n + 5) }
	sum, sorted := of(float64(len(y))), slices.Sorted(slices.Values(y))
	for i := 0; i < len(sorted); {
		tied := i
		for i < len(sorted) && sorted[i] == sorted[tied] {
			i++
		}
		sum -= of(float64(i - tied))
	}
	return max(0, sum/18)
}

// kendallP corrects S for its being discrete.
func kendallP(s, sigma float64) float64 {
	if sigma == 0 || s == 0 {
		return 1
	}
	return math.Erfc((math.Abs(s) - 1) / sigma / math.Sqrt2)
}

// blocks makes medians of neighbours, so that at most trendBlocks are left.
func blocks(x, y []float64) (bx, by []float64) {
	n := min(len(x), len(y))
	step := (n + trendBlocks - 1) / trendBlocks
	if step <= 1 {
		return x[:n], y[:n]
	}
	for i := 0; i < n; i += step {
		end := min(i+step, n)
		bx, by = append(bx, Median(x[i:end])), append(by, Median(y[i:end]))
	}
	return bx, by
}

func ascending(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i] > x[i-1]) {
			return false
		}
	}
	return true
}
