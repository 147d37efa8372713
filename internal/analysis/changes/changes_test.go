package changes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nights are values about a level of 10, each with 1 % of noise.
func nights(rng *rand.Rand, n int, level float64, draw func(*rand.Rand) float64) (y []float64) {
	for range n {
		y = append(y, level+0.01*draw(rng))
	}
	return y
}

func normal(rng *rand.Rand) float64 { return rng.NormFloat64() }

// tailed has one value in ten from a distribution four times as wide.
func tailed(rng *rand.Rand) float64 {
	if rng.IntN(10) == 0 {
		return 4 * rng.NormFloat64()
	}
	return rng.NormFloat64()
}

// alarms counts the changes that somebody meets who looks after each night, each once.
func alarms(y []float64) (count int) {
	var seen []int
	for n := range y {
		for _, s := range Find(y[:n+1], 0).Segments[1:] {
			near := func(at int) bool { return at-s.From <= 5 && s.From-at <= 5 }
			if !slices.ContainsFunc(seen, near) {
				count++
				seen = append(seen, s.From)
			}
		}
	}
	return count
}

// TestFalseAlarms: in 100 nights without a change at most one is reported, on average.
func TestFalseAlarms(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(*rand.Rand) float64
		most float64
	}{{"normal noise", normal, 1}, {"one night in ten is off", tailed, 1.5}} {
		t.Run(c.name, func(t *testing.T) {
			rng, count := rand.New(rand.NewPCG(1, 2)), 0
			const series = 25
			for range series {
				count += alarms(nights(rng, 100, 10, c.draw))
			}
			if got := float64(count) / series; got > c.most {
				t.Errorf("%.2f false alarms in 100 nights, wanted at most %g", got, c.most)
			}
		})
	}
}

// within says in how many of 100 series a step is found after so many nights.
func within(step float64, after, before int, draw func(*rand.Rand) float64) (found int) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		y := append(nights(rng, before, 10, draw), nights(rng, after, 10+step, draw)...)
		for n := before + 1; n <= len(y); n++ {
			s := Find(y[:n], 0).Segments
			if last := s[len(s)-1].From; len(s) > 1 && last >= before-3 && last <= before+3 {
				found++
				break
			}
		}
	}
	return found
}

// TestStepIsFound: a step of twice the noise in five nights, mostly in three; one of
// three times the noise nearly always.
func TestStepIsFound(t *testing.T) {
	for _, c := range []struct {
		name          string
		step          float64
		before, after int
		draw          func(*rand.Rand) float64
		least         int
	}{
		{"2 % at 1 % of noise", 0.02, 30, 5, normal, 75},
		{"2 % down", -0.02, 30, 5, normal, 75},
		{"2 % in three nights", 0.02, 30, 3, normal, 50},
		{"2.5 %", 0.025, 30, 5, normal, 88},
		{"3 %", 0.03, 30, 5, normal, 95},
		{"3 % with outliers", 0.03, 30, 5, tailed, 90},
		{"3 % after ten nights only", 0.03, 10, 5, normal, 90},
		{"2 % in ten nights", 0.02, 30, 10, normal, 92},
	} {
		if found := within(c.step, c.after, c.before, c.draw); found < c.least {
			t.Errorf("%s: found in %d of 100 series, wanted %d", c.name, found, c.least)
		}
	}
}

// TestLevels: where a figure went up and came back, both changes are found where they
// are, with their levels.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	y := slices.Concat(nights(rng, 20, 10, normal), nights(rng, 20, 10.1, normal), nights(rng, 20, 10, normal))
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
