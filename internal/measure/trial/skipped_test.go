package trial

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// A generator that pauses now and then skips what is over 500 us late then. Quantiles of
// what it sent alone are too low; with the skipped packets they are those of all that were
// due up to 500 us, and no more than them above.
func TestSkippedPacketsAreInTheQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var sent traffic.Histogram
	var due []uint64 // of all packets
	var skipped uint64
	pausedUntil := 0.0
	for i := range 500_000 {
		at := float64(i) * 10 // us
		if at > pausedUntil+2000 && r.Float64() < 0.0005 {
			pausedUntil = at + 2000
		}
		late := max(0, pausedUntil-at)
		ns := uint64(1000*late + 20_000*r.ExpFloat64())
		due = append(due, ns)
		if late > 500 {
			skipped++
			continue
		}
		sent.Add(ns)
	}
	slices.Sort(due)
	all := latency(skips{skipped, record.SkippedNS}.in(&sent), nil)
	alone := latency(&sent, nil)
	for _, x := range []struct {
		q             float64
		with, without uint64
	}{
		{0.5, all.P50, alone.P50}, {0.9, all.P90, alone.P90},
		{0.95, all.P95, alone.P95}, {0.99, all.P99, alone.P99},
	} {
		truth := due[int(math.Ceil(x.q*float64(len(due))))-1]
		off := func(ns uint64) float64 { return float64(ns)/float64(truth) - 1 }
		t.Logf("p%g: truth %d ns, with the skipped %+.1f %%, without %+.1f %%", 100*x.q, truth, 100*off(x.with), 100*off(x.without))
		switch {
		case truth < record.SkippedNS && math.Abs(off(x.with)) > 0.01:
			t.Errorf("p%g is %d ns of %d", 100*x.q, x.with, truth)
		case truth >= record.SkippedNS && (x.with < record.SkippedNS || off(x.with) > 0.01):
			t.Errorf("p%g is %d ns, at least 500 us and at most %d", 100*x.q, x.with, truth)
		case off(x.without) > -0.01:
			t.Errorf("p%g of what was sent is right: %d ns of %d", 100*x.q, x.without, truth)
		}
	}
}

// Of a trial of both directions each has half of the packets that were skipped, and the latency
// of all packets has those that do not count, too.
func TestSkippedPacketsAreInEachDirection(t *testing.T) {
	m := &measured{spec: Spec{Direction: record.Both}}
	var h traffic.Histogram
	h.AddN(20_000, 900)
	m.outcome = traffic.Outcome{Skipped: 200, Flows: []traffic.FlowOutcome{{Latency: h}, {Latency: h}},
		Excluded: traffic.Excluded{Skipped: 100, Latency: []traffic.Histogram{h, h}}}
	for _, f := range m.flows() {
		if f.Latency.Skipped != 100 || f.Latency.Count != 1000 || f.Latency.P50 > 21_000 || f.Latency.P95 < record.SkippedNS {
			t.Errorf("%s: %+v", f.Direction, f.Latency)
		}
		if f.All.Skipped != 150 || f.All.Count != 1950 || f.All.P99 < record.SkippedNS {
			t.Errorf("%s, all packets: %+v", f.Direction, f.All)
		}
	}
}

// TestSkippedBehindALongWay: a device holds every packet for over 500 us. A packet that was never sent would have
// taken its lateness longer than that: it does not come out as the fastest, and pulls no quantile down.
func TestSkippedBehindALongWay(t *testing.T) {
	const way = 503_381
	var h traffic.Histogram
	for i := range uint64(1000) {
		h.Add(way + i)
	}
	l := dueLatency(&traffic.FlowOutcome{Latency: h, Actual: h}, 1)
	if l.Min != way || l.Skipped != 1 || l.SkippedAs != way+record.SkippedNS || l.Max < way+record.SkippedNS {
		t.Errorf("%+v", l)
	}
	if l.AtLeast(float64(l.P50)) || l.AtLeast(float64(l.P99)) || !l.AtLeast(float64(l.Max)) {
		t.Error("quantiles of packets that were sent are bounds")
	}
}
