package search

import (
	"math"
	"testing"
	"time"
)

// The four goals, the six points in time and what comes of them are those of RFC
// 9971 appendix C, but for one thing: the appendix calls the load a lower bound
// for the fourth goal at points 5 and 6, although the exceed ratios it computes,
// 42.857 % and 27.273 %, are above that goal's 20 %. The code of appendix A, which
// is what specifies it, says upper bound when it is run; so does the authors'
// implementation.
func TestExampleSearchOfTheRFC(t *testing.T) {
	const s = time.Second
	goals := []struct {
		name string
		criterion
		classes    [6]class // at each point
		throughput float64  // at the last point, packets/s; 0: not computed
	}{
		{"RFC2544", criterion{lossRatio: 0, exceedRatio: 0, trial: 60 * s, sum: 60 * s},
			[6]class{undecided, upperBound, upperBound, upperBound, upperBound, upperBound}, 0},
		{"TST009", criterion{lossRatio: 0, exceedRatio: 0.5, trial: 60 * s, sum: 120 * s},
			[6]class{undecided, undecided, undecided, undecided, undecided, lowerBound}, 1e6},
		{"1s final", criterion{lossRatio: 0.005, exceedRatio: 0.5, trial: s, sum: 120 * s},
			[6]class{undecided, undecided, undecided, lowerBound, lowerBound, lowerBound}, 1e6},
		{"20% exceed", criterion{lossRatio: 0.005, exceedRatio: 0.2, trial: 60 * s, sum: 60 * s},
			[6]class{undecided, undecided, upperBound, upperBound, upperBound, upperBound}, 999e3},
	}
	for _, g := range goals {
		t.Run(g.name, func(t *testing.T) {
			trials := points()
			for i, want := range g.classes {
				if got := g.classify(trials[i]); got != want {
					t.Errorf("point %d: class %d, want %d", i+1, got, want)
				}
			}
			if g.throughput == 0 {
				return
			}
			if got := 1e6 * (1 - g.quantileLoss(trials[5])); math.Abs(got-g.throughput) > 1e-6 {
				t.Errorf("conditional throughput %v, want %v", got, g.throughput)
			}
		})
	}
}

// points gives the trials known at each point.
func points() [6][]sample {
	const s = time.Second
	repeat := func(to []sample, n int, d time.Duration, loss float64) []sample {
		for range n {
			to = append(to[:len(to):len(to)], sample{duration: d, loss: loss})
		}
		return to
	}
	var p [6][]sample
	p[0] = repeat(nil, 59, s, 0)
	p[1] = repeat(p[0], 1, s, 0.01)
	p[2] = repeat(p[1], 59, s, 0.01)
	p[3] = repeat(p[2], 1, s, 0)
	p[4] = repeat(p[3], 1, 60*s, 0.001)
	p[5] = repeat(p[4], 1, 60*s, 0)
	return p
}

func TestNoTrialsDecideNothing(t *testing.T) {
	c := criterion{exceedRatio: 0.5, trial: time.Second, sum: 2 * time.Second}
	if got := c.classify(nil); got != undecided {
		t.Errorf("class %d, want undecided", got)
	}
}

// A higher load that happens to be good does not count above an upper bound (RFC
// 9971 clause 5.3.3).
func TestRelevantBoundsWithLossInversion(t *testing.T) {
	c := criterion{trial: time.Second, sum: time.Second}
	var d database
	for _, m := range []struct {
		load int
		loss float64
	}{{50, 0}, {10, 0}, {40, 0.1}, {20, 0}, {60, 0.2}} {
		d.add(m.load, sample{duration: time.Second, loss: m.loss})
	}
	if got, want := d.relevant(c), (bounds{at(20), at(40)}); got != want {
		t.Errorf("bounds %v, want %v", got, want)
	}
}
