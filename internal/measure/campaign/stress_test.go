package campaign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/duttest"
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

func TestSharesOfACapacity(t *testing.T) {
	c := record.Capacity{PPS: 100_000, HighestPPS: 120_000}
	loads := sharesOf(c, []float64{0.05, 1, 1.2, 1.3})
	var got []string
	for _, l := range loads {
		got = append(got, fmt.Sprintf("%s = %.0f", l, l.PPS))
	}
	want := "5 % of capacity = 5000, 100 % of capacity = 100000, 120 % of capacity = 120000"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q: what the generator does not send is left out", got, want)
	}
	if n := len(sharesOf(record.Capacity{PPS: 3, HighestPPS: 10}, []float64{0.1})); n != 0 {
		t.Error("a load of less than a packet a second is kept")
	}
}

// study is one of two DUTs and wire.
func studyOf(t *testing.T, sets ...string) *stressStudy {
	p := &plan.Plan{Scenario: scenariotest.Open(t, "stress", sets...),
		Targets: []dut.Target{{Driver: duttest.None{Name: "wire"}}, {Driver: duttest.None{Name: "a"}}, {Driver: duttest.None{Name: "b"}}}}
	s := &stressStudy{Meter: &kit.Meter{Book: &kit.Book{Plan: p}}, loads: map[stressKey][]record.Load{}, warmups: map[stressKey]time.Duration{}}
	for i, pps := range []float64{0, 1000, 2000} {
		for _, d := range p.Scenario.Directions {
			k := stressKey{i, d, "1400"}
			s.loads[k] = sharesOf(record.Capacity{PPS: pps, HighestPPS: 1e6}, p.Scenario.Stress.Shares)
			s.warmups[k] = 300 * time.Millisecond
		}
	}
	return s
}

func texts(list []trial.Spec) (all []string) {
	for _, x := range list {
		all = append(all, fmt.Sprint(x.Direction, " ", x.Load, " ", x.Load.PPS, " ", x.Arrivals))
	}
	return all
}

func TestStressTrials(t *testing.T) {
	s := studyOf(t, "stress.shares=0.5,1", "directions=uplink,downlink")
	first, again, second := texts(s.trials(1, 1)), texts(s.trials(1, 1)), texts(s.trials(1, 2))
	if !slices.Equal(first, again) || slices.Equal(first, second) {
		t.Errorf("the order is that of the seed, another in each repeat:\n%q\n%q\n%q", first, again, second)
	}
	slices.Sort(first)
	slices.Sort(second)
	if len(first) != 2*2*2 || !slices.Equal(first, second) {
		t.Errorf("each repeat has each load, direction and arrival process once: %q", first)
	}
	if x := s.trials(1, 1)[0]; x.Warmup != 300*time.Millisecond || x.Kind != record.KindLoad {
		t.Errorf("%+v", x)
	}
	wire := texts(s.trials(0, 1))
	if len(wire) != 3*2*2 || len(s.trials(0, 2)) != 0 { // 500, 1000 and 2000 packets/s
		t.Errorf("wire has each rate once: %q", wire)
	}
	if n := s.Plan.Trials(); n < 2*3*8+12 {
		t.Errorf("%d trials are announced", n)
	}
}

func TestStressInPackets(t *testing.T) {
	s := scenariotest.Open(t, "stress", "stress.packets=5000")
	if d := s.Lasts(record.Load{PPS: 1000}); d != 5*time.Second {
		t.Errorf("5000 packets at 1000 packets/s take %v", d)
	}
}

// A latency that falls for 400 ms and then stays.
func TestWarmupOfAPilot(t *testing.T) {
	var points []record.Point
	for i := range plan.PilotPoints {
		p50 := 10_000 + 10*uint64(i%7)
		if i < 20 {
			p50 += uint64(20-i) * 1000
		}
		points = append(points, record.Point{P50: p50})
	}
	w := warmupOf(record.Trial{Series: points}, 100*time.Millisecond)
	if !w.Settled || w.Seconds < 0.3 || w.Seconds > 0.6 || w.UsedS != w.Seconds {
		t.Errorf("%+v", w)
	}
	w = warmupOf(record.Trial{Series: points[:10]}, 100*time.Millisecond)
	if w.Settled || w.Why == "" || w.UsedS != 0.1 {
		t.Errorf("of too few points: %+v", w)
	}
}

func TestNearestLoad(t *testing.T) {
	given := []record.Load{{PPS: 1000}, {PPS: 5000}, {PPS: 4000}}
	if l := nearest(given, 0.8); l.PPS != 4000 {
		t.Error(l)
	}
	if l := nearest(sharesOf(record.Capacity{PPS: 100, HighestPPS: 200}, []float64{0.1, 0.75, 1.3}), 0.8); l.PPS != 75 {
		t.Error(l)
	}
}
