package view

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// A chart of latencies that are bounds, in half of the repeats or more, says at how many loads,
// and that models rest on them.
func TestSweepSaysWhatIsABound(t *testing.T) {
	at := func(bounds ...bool) (p SweepPoint) {
		for _, b := range bounds {
			p.Trials = append(p.Trials, &record.Trial{Traffic: record.Traffic{Latency: &record.Latency{Count: 1, UpperBound: b}}})
		}
		return p
	}
	s := Sweep{UPF: &UPF{DUT: &record.DUT{}}, Points: []SweepPoint{at(false, false), at(true, false, false), at(true, false), at(true, true)}}
	if got := s.AtMost(P99); !strings.HasPrefix(got, "At 2 of 4 loads latency is at most what is shown") || strings.Contains(got, "Models") {
		t.Error(got)
	}
	s.UPF.Models = []record.Model{{}}
	if got := s.AtMost(P99); !strings.Contains(got, "Models are fitted to it") {
		t.Error(got)
	}
	s.Points = s.Points[:2]
	if got := s.AtMost(P99); got != "" {
		t.Error(got)
	}
}

// A latency over 500 us with packets that were never sent is a lower bound, and neither where
// disturbances may be in it, too. Quantiles below that are known; a mean never is.
func TestSignsOfLatency(t *testing.T) {
	for _, c := range []struct {
		bound           bool
		skipped         uint64
		p99             uint64
		p50, tail, mean string
	}{
		{false, 0, 600e3, "20.0", "600", "30.0"},
		{false, 5, 600e3, "20.0", "≥ 600", "≥ 30.0"},
		{false, 5, 400e3, "20.0", "400", "≥ 30.0"},
		{true, 0, 600e3, "≤ 20.0", "≤ 600", "≤ 30.0"},
		{true, 5, 600e3, "≤ 20.0", "~ 600", "~ 30.0"},
		{true, 1, 600e3, "20.0", "~ 600", "~ 30.0"},
	} {
		l := &record.Latency{Count: 100, P50: 20e3, P99: c.p99, Mean: 30e3, UpperBound: c.bound, Skipped: c.skipped}
		if c.skipped == 1 {
			l.Unmoved = []string{"p50"}
		}
		trials := []*record.Trial{{Traffic: record.Traffic{Latency: l}, Judgement: record.Judgement{Valid: true}}}
		r := Row{Group: Group{Used: trials}, UPF: &UPF{DUT: &record.DUT{}}}
		if got := [3]string{r.Latency(P50).Text, r.Latency(P99).Text, r.MeanLatency().Text}; got != [3]string{c.p50, c.tail, c.mean} {
			t.Errorf("%+v: %q", c, got)
		}
		says := Sweep{UPF: r.UPF, Points: []SweepPoint{{Trials: trials}}}.AtLeast()
		if want := c.skipped > 0 && c.p99 >= record.SkippedNS; strings.HasPrefix(says, "At 1 of 1 loads p99 is at least") != want {
			t.Errorf("%+v: %q", c, says)
		}
	}
}

// TestUnmovedQuantilesAreNoBounds: a chart of p50 says nothing of loads at which only the tail may hold
// disturbances, as the tables say nothing.
func TestUnmovedQuantilesAreNoBounds(t *testing.T) {
	l := &record.Latency{Count: 100, P50: 20e3, P99: 600e3, Mean: 30e3, UpperBound: true, Unmoved: []string{"p50"}}
	trials := []*record.Trial{{Traffic: record.Traffic{Latency: l}, Judgement: record.Judgement{Valid: true}}}
	r := Row{Group: Group{Used: trials}, UPF: &UPF{DUT: &record.DUT{}}}
	s := Sweep{UPF: r.UPF, Points: []SweepPoint{{Trials: trials}}}
	for name, of := range map[string]func(*record.Latency) float64{"p50": P50, "p99": P99, "mean": LatMean} {
		if got := s.AtMost(of) != ""; got != r.LatencyAtMost(of) || got != (name != "p50") {
			t.Errorf("%s: the chart says %v, the table %v", name, got, r.LatencyAtMost(of))
		}
	}
}
