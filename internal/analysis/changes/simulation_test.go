package changes

import (
	"flag"
	"math"
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

// noticed is after how many nights somebody who looks after each night meets the change at
// a place, three nights off at most; more than there are: never.
func noticed(y []float64, at int) int {
	for n := at + 1; n <= len(y); n++ {
		s := Find(y[:n], 0).Segments
		if last := s[len(s)-1].From; len(s) > 1 && last >= at-3 && last <= at+3 {
			return n - at
		}
	}
	return len(y)
}

// share of all series, percent.
func share(count int) float64 { return 100 * float64(count) / float64(*series) }

// found are the shares of series, percent, in which a step is met within so many nights.
func (x noise) found(step float64, before int, within ...int) (shares []float64) {
	rng, after := rand.New(rand.NewPCG(3, 4)), slices.Max(within)
	counts := make([]int, len(within))
	for range *series {
		met := noticed(append(x.nights(rng, before, 10), x.nights(rng, after, 10+0.01*step)...), before)
		for i, most := range within {
			if met <= most {
				counts[i]++
			}
		}
	}
	for _, c := range counts {
		shares = append(shares, share(c))
	}
	return shares
}

// TestFalseAlarms and TestOperatingCurve print figures of docs/reference/measured.csv:
//
//	go test -run 'TestFalseAlarms|TestOperatingCurve' -v -count=1 ./internal/analysis/changes -series 1000
func TestFalseAlarms(t *testing.T) {
	for _, c := range []struct {
		noise
		most float64
	}{{normal, 1.3}, {tailed, 1.6}} {
		rng, count, n := rand.New(rand.NewPCG(1, 2)), 0, *series
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

// repeating are nights of which each repeats a part of the one before: an autoregressive
// process of order 1, with a noise of 0.01.
func repeating(rng *rand.Rand, n int, part float64) (y []float64) {
	v := rng.NormFloat64()
	for range n {
		y = append(y, 10+0.01*v)
		v = part*v + math.Sqrt(1-part*part)*rng.NormFloat64()
	}
	return y
}

// TestFalseAlarmsOfAutocorrelatedNights: a machine that is slower for some nights in a row makes
// no more false alarms than one whose nights are independent, about.
func TestFalseAlarmsOfAutocorrelatedNights(t *testing.T) {
	for _, part := range []float64{0.3, 0.5, 0.7} {
		rng, count := rand.New(rand.NewPCG(1, 2)), 0
		for range *series {
			count += alarms(repeating(rng, 100, part))
		}
		rate := float64(count) / float64(*series)
		t.Logf("autocorrelation %.1f: %.2f false alarms in 100 nights", part, rate)
		if rate > 1.6 {
			t.Errorf("autocorrelation %.1f: %.2f false alarms in 100 nights", part, rate)
		}
	}
}

// TestOperatingCurve: steps are in times the noise, after 30 nights, compared with a detector
// that knows level, noise and step (bound_test.go).
func TestOperatingCurve(t *testing.T) {
	t.Logf("step, times the noise: found within 3, 5, 10, 20 nights, %%; within 5 by a CUSUM that knows all; within 5 where %s", tailed.name)
	for _, c := range []struct{ step, least float64 }{{1, 5}, {1.5, 50}, {2, 78}, {2.5, 90}, {3, 95}, {4, 97}} {
		got, most, rough := normal.found(c.step, 30, 3, 5, 10, 20), mostFound(c.step, 5), tailed.found(c.step, 30, 5)
		t.Logf("%4g: %5.1f %5.1f %5.1f %5.1f; %5.1f; %5.1f", c.step, got[0], got[1], got[2], got[3], most, rough[0])
		if got[1] < c.least || got[1] > most+5 {
			t.Errorf("a step of %g is found within 5 nights in %.1f %%, wanted %.0f and at most %.1f", c.step, got[1], c.least, most)
		}
	}
}

// TestStepIsFound: down as well as up, early and late in a series.
func TestStepIsFound(t *testing.T) {
	for _, c := range []struct {
		noise
		step   float64
		before int
		least  float64 // within 5 nights, percent
	}{{normal, -2, 30, 78}, {normal, 2, 15, 65}, {normal, 3, 10, 80}, {normal, 2, 100, 78}, {tailed, 2.5, 30, 75}, {tailed, 3, 30, 85}} {
		got := c.found(c.step, c.before, 5)[0]
		t.Logf("%s: a step of %g after %d nights is found within 5 in %.1f %%", c.name, c.step, c.before, got)
		if got < c.least {
			t.Errorf("%s: a step of %g after %d nights is found within 5 in %.1f %%, wanted %.0f", c.name, c.step, c.before, got, c.least)
		}
	}
}

// TestManySeries: one in twenty series that are looked at each night has a recent change by chance in many nights; a
// gate on all of them closes in one of a hundred.
func TestManySeries(t *testing.T) {
	const together, nights, times, recent = 20, 60, 12, 5
	rng := rand.New(rand.NewPCG(8, 8))
	alone, sure, looked := 0, 0, 0
	for range times {
		var all [][]float64
		for range together {
			all = append(all, normal.nights(rng, nights, 1))
		}
		for n := Least; n <= nights; n++ {
			any, surely := false, false
			for _, y := range all {
				s := Find(y[:n], 0).Segments
				if last := s[len(s)-1]; len(s) > 1 && n-last.From <= recent {
					any = true
				}
				surely = surely || together*Lately(y[:n], recent, 0).P < 0.01
			}
			looked++
			if any {
				alone++
			}
			if surely {
				sure++
			}
		}
	}
	t.Logf("of %d nights: one of %d series has a recent change in %d, one that is sure enough in %d", looked, together, alone, sure)
	if sure > looked*3/100 || alone < 2*sure {
		t.Errorf("of %d nights %d close the gate, %d would by each series alone", looked, sure, alone)
	}
}

// TestLately: what rose and stays has risen since then; three bad nights in a row have not, nor has what rose long ago,
// and of few nights nothing is said.
func TestLately(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	level := normal.nights(rng, 30, 1)
	high := func(n int) []float64 { return normal.nights(rng, n, 1.05) }
	for _, c := range []struct {
		story string
		y     []float64
		at    int // 0: it has not risen
	}{
		{"five nights", slices.Concat(level, high(5)), 30}, {"eight nights", slices.Concat(level, high(8)), 30},
		{"three nights", slices.Concat(level, high(3)), 0},
		{"three bad nights", slices.Concat(level, high(3), normal.nights(rng, 4, 1)), 0},
		{"long ago", slices.Concat(level, high(30)), 0}, {"it fell", slices.Concat(high(30), normal.nights(rng, 6, 1)), 0},
		{"few nights", slices.Concat(level[:7], high(5)), 0}, {"none", nil, 0}, {"equal nights", slices.Repeat([]float64{1}, 40), 0},
		{"equal nights that rose", slices.Concat(slices.Repeat([]float64{1}, 30), slices.Repeat([]float64{2}, 5)), 30},
	} {
		r := Lately(c.y, 8, 1e-9)
		if found := r.P < 1e-3; found != (c.at > 0) || found && (r.At < c.at-1 || r.At > c.at+1) {
			t.Errorf("%s: %+v", c.story, r)
		}
	}
}
