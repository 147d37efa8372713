package stats

import (
	"slices"
	"testing"
)

func TestOutliers(t *testing.T) {
	for name, c := range map[string]struct {
		sample []float64
		want   []int
	}{
		// Iglewicz and Hoaglin's rule by hand: median 10, deviations 0 0.1 0.1 0.2 5,
		// MAD 0.1: 0.6745*5/0.1 = 33.7; 0.6745*0.2/0.1 = 1.35.
		"one far":        {[]float64{10, 10.1, 9.9, 15, 10.2}, []int{3}},
		"none":           {[]float64{10, 10.1, 9.9, 10.3, 10.2}, nil},
		"two":            {[]float64{1, 10, 10.1, 9.9, 10.05, 9.95, 20}, []int{0, 6}},
		"too few":        {[]float64{10, 10.1, 9.9, 100}, nil},
		"mostly equal":   {[]float64{10, 10, 10, 10, 100}, nil},
		"nothing at all": {nil, nil},
	} {
		if got := Outliers(c.sample); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
