package changes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLevels: where a figure went up and came back, both changes are found where they
// are, with their levels.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	y := slices.Concat(normal.nights(rng, 20, 10), normal.nights(rng, 20, 10.1), normal.nights(rng, 20, 10))
	d := Find(y, 0)
	if len(d.Segments) != 3 || d.Segments[1].From != 20 || d.Segments[2].From != 40 {
		t.Fatalf("segments %v", d.Segments)
	}
	if off := math.Abs(d.Segments[1].Level - 10.1); off > 0.01 {
		t.Errorf("level %v, wanted 10.1", d.Segments[1].Level)
	}
	if d.Noise < 0.007 || d.Noise > 0.013 {
		t.Errorf("noise %v, wanted 0.01", d.Noise)
	}
}

// TestEdges: what is too short or has no noise at all.
func TestEdges(t *testing.T) {
	same := slices.Repeat([]float64{3}, 30)
	stepped := append(slices.Clone(same), 4, 4, 4)
	outlier := append(slices.Clone(same), 900, 3, 3, 3, 3)
	for _, c := range []struct {
		name     string
		y        []float64
		segments int
	}{
		{"nothing", nil, 0}, {"one", []float64{1}, 1}, {"too few", []float64{1, 1, 9, 9, 9}, 1},
		{"no noise", same, 1}, {"a step without noise", stepped, 2}, {"one outlier", outlier, 1},
	} {
		if got := len(Find(c.y, 0).Segments); got != c.segments {
			t.Errorf("%s: %d segments, wanted %d", c.name, got, c.segments)
		}
	}
	if got := len(Find(append(slices.Repeat([]float64{0}, 10), 1e-6, 1e-6, 1e-6, 1e-6), 1e-5).Segments); got != 1 {
		t.Errorf("a step below the resolution makes %d segments", got)
	}
}
