package compare

import (
	"math/rand/v2"
	"testing"
)

// counts are over many comparisons.
type counts struct {
	differ int            // any figure has a verdict
	closed int            // the gate
	worse  map[Metric]int // the uplink's figure is called worse, at any load
}

// againstTruth compares two simulated runs many times.
func againstTruth(t *testing.T, times int, a, b simulated, o Options) counts {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 4))
	n := counts{worse: map[Metric]int{}}
	for range times {
		c, err := Compare(Input{"A", a.run(rng, "aaaa")}, Input{"B", b.run(rng, "bbbb")}, o)
		if err != nil {
			t.Fatal(err)
		}
		found := map[Metric]bool{}
		for _, f := range verdicts(c) {
			found[f.Metric] = found[f.Metric] || f.Verdict == Worse && f.Direction == "uplink"
		}
		n.differ += one(len(found) > 0)
		n.closed += one(len(c.Gate.Worse) > 0)
		for _, m := range Metrics() {
			n.worse[m] += one(found[m])
		}
	}
	return n
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// verdicts lists what is called better or worse of the UPFs.
func verdicts(c *Comparison) []*Figure {
	var list []*Figure
	for _, f := range c.figures(func(p Pair) bool { return !p.Reference() }) {
		if f.Verdict == Better || f.Verdict == Worse {
			list = append(list, f)
		}
	}
	return list
}

// TestSameAgainstSame: of comparisons of a thing with itself at most 5 % may
// find any difference at all, in any of their figures.
func TestSameAgainstSame(t *testing.T) {
	const times, cases = 30, 10
	total := counts{}
	for _, c := range []struct {
		story string
		a, b  simulated
		o     Options
	}{
		{"quiet machine", simulated{repeats: 5, noise: 0.02}, simulated{repeats: 5, noise: 0.02}, Options{}},
		{"noisy machine", simulated{repeats: 5, noise: 0.15}, simulated{repeats: 5, noise: 0.15}, Options{}},
		{"as measured", simulated{repeats: 5, noise: 0.02}, simulated{repeats: 5, noise: 0.02}, Options{Raw: true}},
		{"three repeats", simulated{repeats: 3, noise: 0.02}, simulated{repeats: 3, noise: 0.02}, Options{}},
		{"unequal repeats and noise", simulated{repeats: 3, noise: 0.01}, simulated{repeats: 8, noise: 0.05}, Options{}},
		{"no noise but the histogram's", simulated{repeats: 5, noise: 0.0001}, simulated{repeats: 5, noise: 0.0001}, Options{}},
		{"a machine that drifts", simulated{repeats: 5, noise: 0.02, drift: 0.1}, simulated{repeats: 5, noise: 0.02, drift: 0.1}, Options{}},
		{"a slower machine in B", simulated{repeats: 5, noise: 0.02}, simulated{repeats: 5, noise: 0.02, speed: 0.7}, Options{}},
		{"lossy", simulated{repeats: 5, noise: 0.05, loss: 0.03}, simulated{repeats: 5, noise: 0.05, loss: 0.03}, Options{}},
		{"one repeat, noise known", simulated{repeats: 1, noise: 0.02}, simulated{repeats: 1, noise: 0.02}, Options{Noise: 0.03}},
	} {
		n := againstTruth(t, times, c.a, c.b, c.o)
		t.Logf("%s: %d of %d differ, %d close the gate", c.story, n.differ, times, n.closed)
		if most := times/20 + 3; n.differ > most || n.closed > most {
			t.Errorf("%s: %d of %d differ, %d close the gate; at most %d", c.story, n.differ, times, n.closed, most)
		}
		total.differ += n.differ
		total.closed += n.closed
	}
	if most := times * cases / 20; total.differ > most || total.closed > most {
		t.Errorf("of %d comparisons %d differ, %d close the gate; at most %d", times*cases, total.differ, total.closed, most)
	}
}

// TestDropIsFound: what matters is not missed.
func TestDropIsFound(t *testing.T) {
	const times = 20
	steady := simulated{repeats: 5, noise: 0.02}
	for _, c := range []struct {
		story string
		a, b  simulated
		o     Options
		m     Metric
		least int
	}{
		{"10 % less rate, as measured", steady, simulated{repeats: 5, noise: 0.02, rate: 0.9}, Options{Raw: true}, RxPPS, 18},
		{"10 % less rate", steady, simulated{repeats: 5, noise: 0.02, rate: 0.9}, Options{}, RxPPS, 14},
		{"20 % less rate on a machine that drifts", simulated{repeats: 7, noise: 0.02, drift: 0.05},
			simulated{repeats: 7, noise: 0.02, drift: 0.05, rate: 0.8}, Options{}, RxPPS, 14},
		{"half as much delay again", steady, simulated{repeats: 5, noise: 0.02, delay: 1.5}, Options{}, P50, 18},
		{"3 % of loss where there was none", steady, simulated{repeats: 5, noise: 0.05, loss: 0.03}, Options{}, FrameLoss, 18},
		{"10 % less rate in one repeat, noise known", simulated{repeats: 1, noise: 0.005},
			simulated{repeats: 1, noise: 0.005, rate: 0.8}, Options{Noise: 0.01}, RxPPS, 18},
	} {
		n := againstTruth(t, times, c.a, c.b, c.o)
		t.Logf("%s: %v of %d", c.story, n.worse, times)
		if n.worse[c.m] < c.least {
			t.Errorf("%s: %s found worse in %d of %d, want %d", c.story, c.m, n.worse[c.m], times, c.least)
		}
	}
}

// TestWireAlone: only wire is another one in B: 10 % slower, or with 25 % less delay, as part of
// what the UPF takes or on its own, on machines that are steady and that drift. At most 5 %
// of comparisons find any difference of the UPF, or close the gate; and of A against A.
func TestWireAlone(t *testing.T) {
	const times = 40
	a := simulated{noise: 0.02}
	slower, faster, within := a, a, a
	slower.wireRate, faster.wireDelay = 0.9, 0.75
	within.wireRate, within.wireDelay, within.added = 0.9, 0.75, true
	machines := []struct {
		name        string
		fall, drift float64
	}{{"steady", 0, 0}, {"1 % slower with each visit", 0.01, 0}, {"other by 5 % in each repeat", 0, 0.05}}
	several := []int{3, 5, 7}
	if testing.Short() {
		several = several[:1]
	}
	for _, repeats := range several {
		for _, machine := range machines {
			on := func(s simulated) simulated {
				s.repeats, s.fall, s.drift = repeats, machine.fall, machine.drift
				return s
			}
			for _, b := range []struct {
				name string
				simulated
			}{{"A against A", a}, {"wire 10 % slower", slower}, {"wire's delay 25 % less", faster}, {"both, and the UPF's contain it", within}} {
				n := againstTruth(t, times, on(a), on(b.simulated), Options{Threshold: 0.03})
				if n.differ+n.closed > 0 {
					t.Logf("%d repeats, machine %s, %s: %d of %d differ, %d close the gate", repeats, machine.name, b.name, n.differ, times, n.closed)
				}
				if most := times / 20; n.differ > most || n.closed > most {
					t.Errorf("%d repeats, machine %s, %s: %d of %d differ, %d close the gate", repeats, machine.name, b.name, n.differ, times, n.closed)
				}
			}
			real := a
			real.rate, real.delay = 0.9, 1.1
			n := againstTruth(t, times, on(a), on(real), Options{Metrics: []Metric{RxPPS, P50, CPU}})
			t.Logf("%d repeats, machine %s, a UPF 10 %% slower: its rate is called worse in %.0f %%, p50 in %.0f %%, CPU a packet in %.0f %%",
				repeats, machine.name, percent(n.worse[RxPPS], times), percent(n.worse[P50], times), percent(n.worse[CPU], times))
			if machine.drift+machine.fall == 0 && repeats == 7 && n.worse[RxPPS] < times*8/10 {
				t.Errorf("7 repeats on a steady machine: a rate 10 %% lower is found in %d of %d", n.worse[RxPPS], times)
			}
		}
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

// TestGateKnowsItsThreshold: a drop beyond it closes, one within it does not.
func TestGateKnowsItsThreshold(t *testing.T) {
	const times = 15
	steady := simulated{repeats: 8, noise: 0.01}
	for _, c := range []struct {
		story       string
		b           simulated
		threshold   float64
		least, most int
	}{
		{"10 % drop, threshold 3 %", simulated{repeats: 8, noise: 0.01, rate: 0.9}, 0.03, 14, times},
		{"10 % drop, threshold 15 %", simulated{repeats: 8, noise: 0.01, rate: 0.9}, 0.15, 0, 2},
		{"3 % drop, threshold 3 %", simulated{repeats: 8, noise: 0.01, rate: 0.97}, 0.03, 0, 2},
		{"10 % gain", simulated{repeats: 8, noise: 0.01, rate: 1.1}, 0.03, 0, 2},
		{"5 % of loss, threshold 3 %", simulated{repeats: 8, noise: 0.01, loss: 0.05}, 0.03, 14, times},
		{"2 % of loss, threshold 3 %", simulated{repeats: 8, noise: 0.01, loss: 0.02}, 0.03, 0, 2},
	} {
		closed := againstTruth(t, times, steady, c.b, Options{Threshold: c.threshold}).closed
		t.Logf("%s: closed in %d of %d", c.story, closed, times)
		if closed < c.least || closed > c.most {
			t.Errorf("%s: closed in %d of %d, want %d to %d", c.story, closed, times, c.least, c.most)
		}
	}
}
