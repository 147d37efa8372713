package bisect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// drifting is a machine that becomes slower with each visit. What it measures of a build
// scatters, and depends on nothing but the build and when it was visited.
type drifting struct {
	rng     *rand.Rand
	slower  float64 // what the bad build takes of the rate, as a ratio
	drift   float64 // a visit
	noise   float64 // standard deviation
	inTurn  bool    // A B A B, and not stats.Blocks
	visits  int
	runs    uint64
	metrics []compare.Metric
}

// Measure implements Measurer: it invents figures that drift from run to run.
func (m *drifting) Measure(_ context.Context, good, other Program, repeats int, of *Reading) ([]Reading, error) {
	m.runs++
	r := &record.Result{Order: &record.Order{}, DUTs: []record.DUT{
		{Name: "wire", Reference: true}, {Name: "upf@good", Mode: "xdp"}, {Name: "upf@other", Mode: "xdp"}}}
	blocks := stats.Blocks(3, repeats, m.runs, func(i int) bool { return i == 0 })
	for n := range blocks {
		if m.inTurn {
			blocks[n] = []int{0, 1, 2}
		}
		for _, i := range blocks[n] {
			d := &r.DUTs[i]
			r.Order.Visit(n+1, d.Label())
			rate := 1e6 * math.Exp(-m.drift*float64(m.visits))
			if i == 2 && other.Commit.ID == "bad" {
				rate *= 1 - m.slower
			}
			m.visits++
			for _, direction := range []record.Direction{record.Uplink, record.Downlink} {
				got := rate * math.Exp(m.noise*m.rng.NormFloat64())
				d.Trials = append(d.Trials, record.Trial{
					Kind: record.KindLoad, Direction: direction, Repeat: n + 1,
					PacketSize: record.PacketSize{PayloadBytes: 1400}, Sessions: 1, Traffic: record.Traffic{RxPPS: got},
					Cost:      record.Cost{CPU: record.CPU{DUTCores: math.Exp(m.noise * m.rng.NormFloat64())}},
					Judgement: record.Judgement{Valid: true, LimitedBy: record.LimitDUT},
				})
			}
		}
	}
	metrics := m.metrics
	if of != nil {
		metrics = []compare.Metric{of.Metric}
	}
	c, err := compare.Compare(compare.Input{Name: "run", Result: r}, compare.Input{Name: "run", Result: r},
		compare.Options{DUT: "upf@good:xdp", Against: "upf@other:xdp", Metrics: metrics})
	if err != nil {
		return nil, err
	}
	return Readings(c), nil
}

// anyCommit builds nothing, in any layout.
type anyCommit struct{}

func (anyCommit) Build(_ context.Context, _ string, c Commit, layout int) (Program, error) {
	return Program{Commit: c, Layout: fmt.Sprint(layout)}, nil
}

// seen is how many of so many searches say that good and bad differ, which is what any
// accusation begins with, as it is without the confirmation, and in how many the change that
// was confirmed is within a fifth of the true one.
func seen(t *testing.T, times int, m drifting) (found, close int) {
	t.Helper()
	m.metrics = []compare.Metric{compare.RxPPS, compare.CPU}
	for n := range times {
		m.rng = rand.New(rand.NewPCG(uint64(n), 3))
		s := Search{Builder: anyCommit{}, Measure: &m, Repeats: 5, MaxRepeats: 40, Layouts: 4, goods: map[int]Program{}, Progress: func(string) {},
			Save: func(*Result) error { return nil }}
		r := Result{Good: Commit{ID: "good"}, Bad: Commit{ID: "bad"}}
		if err := s.check(context.Background(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Outcome == NoDifference {
			continue
		}
		found++
		if math.Abs(r.Check.Worse-m.slower) < m.slower/5 {
			close++
		}
	}
	return found, close
}

// TestDriftAccusesNoCommit: builds without any difference, on a machine that drifts by 0.5 %
// and 1 % a visit and on a steady one, are told apart in 5 % of searches at most, and a
// slow-down of 5 % is found all the same. Builds of which one always came first, A B A B, are
// not told apart at all.
func TestDriftAccusesNoCommit(t *testing.T) {
	const times = 100
	for _, drift := range []float64{0, 0.005, 0.01} {
		for _, noise := range []float64{0.002, 0.01, 0.05} {
			name := fmt.Sprintf("drift %.1f %% a visit, noise %.1f %%", 100*drift, 100*noise)
			found, _ := seen(t, times, drifting{drift: drift, noise: noise})
			t.Logf("%s: %d of %d searches without an effect accuse", name, found, times)
			if found > times/20 {
				t.Errorf("%s: %d of %d searches without an effect accuse", name, found, times)
			}
		}
		found, close := seen(t, times/2, drifting{drift: drift, noise: 0.01, slower: 0.05})
		t.Logf("drift %.1f %% a visit, noise 1 %%: a slow-down of 5 %% is found in %d of %d, to a fifth in %d", 100*drift, found, times/2, close)
		if found < times/2*9/10 {
			t.Errorf("a slow-down of 5 %% is found in %d of %d", found, times/2)
		}
	}
	if old, _ := seen(t, times/2, drifting{drift: 0.005, noise: 0.002, inTurn: true}); old != 0 {
		t.Errorf("in the order A B A B %d of %d accuse", old, times/2)
	}
}
