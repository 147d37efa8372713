package stats

import (
	"math"
	"slices"
	"testing"
)

func TestPercentile(t *testing.T) {
	// Expected values are R's quantile(x, p, type = 7), which is its default.
	for _, c := range []struct {
		story  string
		sample []float64
		p      float64
		want   float64
	}{
		{"nothing", nil, 50, math.NaN()},
		{"one value is every percentile", []float64{7}, 99, 7},
		{"odd count has a middle", []float64{3, 1, 2}, 50, 2},
		{"even count takes the mean of two", []float64{4, 1, 3, 2}, 50, 2.5},
		{"between ranks", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 90, 9.1},
		{"lowest", []float64{5, 1, 9}, 0, 1},
		{"highest", []float64{5, 1, 9}, 100, 9},
		{"beyond is clamped", []float64{5, 1, 9}, 140, 9},
		{"below is clamped", []float64{5, 1, 9}, -1, 1},
	} {
		if got := Percentile(c.sample, c.p); !same(got, c.want) {
			t.Errorf("%s: Percentile(%v, %v) = %v, want %v", c.story, c.sample, c.p, got, c.want)
		}
	}
}

func TestMedianLeavesTheSampleAlone(t *testing.T) {
	sample := []float64{3, 1, 2}
	if got := Median(sample); got != 2 {
		t.Errorf("Median = %v, want 2", got)
	}
	if !slices.Equal(sample, []float64{3, 1, 2}) {
		t.Errorf("sample was reordered: %v", sample)
	}
}

func TestMedianOf(t *testing.T) {
	if got := MedianOf([]string{"abc", "a", "ab"}, func(s *string) float64 { return float64(len(*s)) }); got != 2 {
		t.Errorf("the median length is %v, want 2", got)
	}
	if got := MedianOf(nil, func(s *string) float64 { return 1 }); !math.IsNaN(got) {
		t.Errorf("of nothing: %v, want NaN", got)
	}
}

func TestMinMax(t *testing.T) {
	if lo, hi := MinMax([]float64{3, 1, 2}); lo != 1 || hi != 3 {
		t.Errorf("MinMax = %v, %v, want 1, 3", lo, hi)
	}
	if lo, hi := MinMax(nil); !math.IsNaN(lo) || !math.IsNaN(hi) {
		t.Errorf("MinMax(nil) = %v, %v, want NaN, NaN", lo, hi)
	}
}

func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-12
}
