package changes

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var series = flag.Int("series", 100, "how many series of each kind are simulated")

// noise is how values scatter about their level.
type noise struct {
	name string
	draw func(*rand.Rand) float64 // with a standard deviation of 1, or about that
}

var normal = noise{"normal noise", (*rand.Rand).NormFloat64}

// tailed has one value in ten from a distribution four times as wide.
var tailed = noise{"one run in ten scatters four times as much", func(rng *rand.Rand) float64 {
	if rng.IntN(10) == 0 {
		return 4 * rng.NormFloat64()
	}
	return rng.NormFloat64()
}}

// nights are values about a level, with a noise of 0.01.
func (x noise) nights(rng *rand.Rand, n int, level float64) (y []float64) {
	for range n {
		y = append(y, level+0.01*x.draw(rng))
	}
	return y
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

// noticed reports whether somebody who looks after each night meets the change at a place,
// three nights off at most.
func noticed(y []float64, at int) bool {
	for n := at + 1; n <= len(y); n++ {
		s := Find(y[:n], 0).Segments
		if last := s[len(s)-1].From; len(s) > 1 && last >= at-3 && last <= at+3 {
			return true
		}
	}
	return false
}

// TestFalseAlarms and TestStepIsFound print the table of docs/history.md:
//
//	go test -run 'TestFalseAlarms|TestStepIsFound' -v -count=1 ./internal/analysis/changes -series 2000
func TestFalseAlarms(t *testing.T) {
	for _, c := range []struct {
		noise
		most float64
	}{{normal, 1.3}, {tailed, 1.6}} {
		rng, count, n := rand.New(rand.NewPCG(1, 2)), 0, *series/2
		for range n {
			count += alarms(c.nights(rng, 100, 10))
		}
		rate := float64(count) / float64(n)
		t.Logf("%s: %.2f false alarms in 100 nights", c.name, rate)
		if rate > c.most {
			t.Errorf("%s: %.2f false alarms in 100 nights, wanted at most %g", c.name, rate, c.most)
		}
	}
}

// TestStepIsFound: steps are in times the noise.
func TestStepIsFound(t *testing.T) {
	for _, c := range []struct {
		noise
		step          float64
		before, after int
		least         float64 // of all series
	}{
		{normal, 2, 30, 3, 0.5}, {normal, 2, 30, 5, 0.8}, {normal, -2, 30, 5, 0.8}, {normal, 2, 30, 10, 0.9},
		{normal, 2.1, 30, 5, 0.85}, {normal, 2.5, 30, 3, 0.7}, {normal, 2.5, 30, 5, 0.9}, {normal, 3, 30, 3, 0.85}, {normal, 3, 30, 5, 0.95},
		{normal, 3, 10, 5, 0.85}, {normal, 2, 100, 5, 0.8}, {tailed, 2, 30, 5, 0.6}, {tailed, 2.5, 30, 5, 0.75}, {tailed, 3, 30, 5, 0.88},
	} {
		rng, found := rand.New(rand.NewPCG(3, 4)), 0
		for range *series {
			if noticed(append(c.nights(rng, c.before, 10), c.nights(rng, c.after, 10+0.01*c.step)...), c.before) {
				found++
			}
		}
		share := float64(found) / float64(*series)
		t.Logf("%s: a step of %g after %d nights is found within %d in %.1f %%", c.name, c.step, c.before, c.after, 100*share)
		if share < c.least {
			t.Errorf("%s: a step of %g after %d nights is found within %d in %.1f %%, wanted %.0f", c.name, c.step, c.before, c.after, 100*share, 100*c.least)
		}
	}
}
