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
