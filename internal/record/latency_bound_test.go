package record

import (
	"slices"
	"testing"
)

// TestMarkBound: of 100,000 packets of 1 to 100,000 ns, some per cent that waited may move a
// quantile as far; where so many have the same latency it stays.
func TestMarkBound(t *testing.T) {
	even, peak := &Latency{Count: 100_000}, &Latency{Count: 100_000, P50: 500, P90: 500, P99: 90_000}
	for ns := uint64(1); ns <= 100_000; ns++ {
		even.Buckets = append(even.Buckets, Bucket{ns, 1})
	}
	peak.Buckets = []Bucket{{500, 95_000}, {90_000, 5000}}
	for _, c := range []struct {
		l     *Latency
		share float64
		want  []string
	}{
		{even, 0.0001, []string{"p50", "p90", "p95", "p99", "p999", "p9999"}},
		{even, 0.0049, []string{"p50", "p90", "p95", "p99", "p999", "p9999"}},
		{even, 0.006, []string{"p90", "p95", "p99", "p999", "p9999"}},
		{even, 0.5, nil},
		{even, 1, nil},
		{peak, 0.03, []string{"p50", "p90", "p95", "p99", "p999", "p9999"}},
		{peak, 0.2, []string{"p50", "p90", "p95"}},
		{&Latency{Count: 10}, 0.01, nil},
	} {
		if c.l.MarkBound(c.share); !slices.Equal(c.l.Unmoved, c.want) || !c.l.UpperBound {
			t.Errorf("a share of %v: %q, want %q", c.share, c.l.Unmoved, c.want)
		}
	}
	peak.MarkBound(0.2)
	if peak.AtMost(500) || !peak.AtMost(90_000) || !peak.AtMost(4975) {
		t.Error("p50 is known, p99 and the mean are bounds")
	}
	if (&Latency{P50: 1}).AtMost(1) {
		t.Error("a latency without a bound is one")
	}
}

// TestVoidIsBound: where everything counts although nearly all was disturbed, each latency is an
// upper bound, a lower one besides where packets were never sent; in results of before that was
// written, too.
func TestVoidIsBound(t *testing.T) {
	even := func(skipped uint64) *Latency {
		l := &Latency{Count: 1000, P50: 500, P99: 990_000, Skipped: skipped}
		for i := uint64(1); i <= 1000; i++ {
			l.Buckets = append(l.Buckets, Bucket{i * 1000, 1})
		}
		return l
	}
	x := &Excluded{Void: true, Windows: 990, Of: 1000, Seconds: 1}
	trial := Trial{Traffic: Traffic{Latency: even(0)}, Flows: []Flow{{Traffic: Traffic{Latency: even(7)}}},
		Classes: []Class{{Latency: even(0)}}, Excluded: x}
	r := Result{DUTs: []DUT{{Trials: []Trial{trial, {Traffic: Traffic{Latency: even(0)}}}}}}
	r.MarkBounds()
	got := r.DUTs[0].Trials
	for name, c := range map[string]struct {
		of   *Latency
		want string
	}{"void": {got[0].Latency, "≤ "}, "of packets never sent": {got[0].Flows[0].Latency, "~ "},
		"of a class": {got[0].Classes[0].Latency, "≤ "}, "undisturbed": {got[1].Latency, ""}} {
		if sign := c.of.Sign(float64(c.of.P99)); sign != c.want {
			t.Errorf("%s: %q, want %q", name, sign, c.want)
		}
	}
}

// TestMarkSafe: a safe load is a lower bound where the loads above it broke the target while the
// machine was disturbed, and none where they lost packets, or were quiet.
func TestMarkSafe(t *testing.T) {
	trial := func(pps, loss float64, bound bool) Trial {
		return Trial{Kind: KindLoad, Direction: Uplink, Load: Load{PPS: pps}, Judgement: Judgement{Valid: true, LimitedBy: LimitNone},
			Traffic: Traffic{TxPPS: pps, FrameLossRatio: loss, Latency: &Latency{Count: 1000, P99: 5e6, UpperBound: bound}}}
	}
	target := LoadTarget{P99NS: 1e6, LossRatio: 0.001}
	for name, c := range map[string]struct {
		trials []Trial
		safe   SafeLoad
		want   bool
	}{
		"the next was disturbed":       {[]Trial{trial(10, 0, false), trial(20, 0, true), trial(30, 0, false)}, SafeLoad{PPS: 10, Measured: true}, true},
		"a later one was":              {[]Trial{trial(10, 0, false), trial(20, 0, false), trial(30, 0, true)}, SafeLoad{PPS: 10, Measured: true}, false},
		"the next loses packets":       {[]Trial{trial(10, 0, false), trial(20, 0.1, true)}, SafeLoad{PPS: 10, Measured: true}, false},
		"half of its repeats were":     {[]Trial{trial(10, 0, false), trial(20, 0, true), trial(20, 0, false)}, SafeLoad{PPS: 10, Measured: true}, true},
		"the lowest was":               {[]Trial{trial(10, 0, true)}, SafeLoad{Measured: true}, true},
		"all loads keep it":            {[]Trial{trial(10, 0, true)}, SafeLoad{PPS: 10, AtLeast: true, Measured: true}, false},
		"a model of disturbed loads":   {[]Trial{trial(10, 0, true), trial(20, 0, true), trial(30, 0, false)}, SafeLoad{PPS: 25}, true},
		"a model, and most were quiet": {[]Trial{trial(10, 0, true), trial(20, 0, false), trial(30, 0, false)}, SafeLoad{PPS: 25}, false},
	} {
		d := DUT{Trials: c.trials, SafeLoads: []SafeLoad{c.safe}}
		d.SafeLoads[0].Direction, d.SafeLoads[0].Target = Uplink, target
		d.MarkSafe(d.SafeLoads)
		if got := d.SafeLoads[0].Disturbed; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if d.SafeLoads[0].PPS == 0 && d.Told(&d.SafeLoads[0]) {
			t.Errorf("%s: it is known that no load keeps the target", name)
		}
	}
}
