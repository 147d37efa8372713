package trial

import (
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// latency sums delays up, with the intervals of their quantiles, or why these are not known.
// blocks are the delays by time; nil: they were not counted so.
func latency(h *traffic.Histogram, blocks *traffic.Blocks) *record.Latency {
	l := h.Latency()
	if l == nil {
		return nil
	}
	median := designEffect(blocks, l.P50)
	for _, x := range []struct {
		name      string
		q         float64
		ns        uint64
		low, high *uint64
	}{
		{"p50", 0.5, l.P50, &l.P50Low, &l.P50High}, {"p99", 0.99, l.P99, &l.P99Low, &l.P99High},
		{"p999", 0.999, l.P999, &l.P999Low, &l.P999High}, {"p9999", 0.9999, l.P9999, &l.P9999Low, &l.P9999High},
	} {
		why := uncounted(h, blocks, x.q)
		if why == "" {
			*x.low, *x.high, why = bounds(h, x.q, median, designEffect(blocks, x.ns))
		}
		if why != "" {
			if l.NotKnown == nil {
				l.NotKnown = map[string]string{}
			}
			l.NotKnown[x.name] = why
		}
	}
	return l
}

// skips are packets that were due and never sent.
type skips struct {
	n  uint64
	as uint64 // ns, the latency that each has at least
}

// skipsOf are those of a flow: each was late, and no packet that was sent had a shorter way than the shortest.
func skipsOf(f *traffic.FlowOutcome, n uint64) skips {
	return skips{n, record.SkippedNS + f.Actual.Min}
}

// in counts them, which a quantile from the due time would otherwise leave out. Quantiles below what they count
// as are then those of all packets that were due; above, they are lower bounds.
func (s skips) in(h *traffic.Histogram) *traffic.Histogram {
	if s.n == 0 || h.Count == 0 {
		return h
	}
	var late traffic.Histogram
	late.AddN(s.as, s.n)
	return h.Plus(&late)
}

// mark says how many there are, and what they count as.
func (s skips) mark(l *record.Latency) *record.Latency {
	if l != nil && s.n > 0 {
		l.Skipped, l.SkippedAs = s.n, s.as
	}
	return l
}

// dueLatency is the latency of all packets of a flow that were due, with those that were skipped.
func dueLatency(f *traffic.FlowOutcome, skipped uint64) *record.Latency {
	s := skipsOf(f, skipped)
	return s.mark(latency(s.in(&f.Latency), &f.Blocks))
}

// skippedEachWay is how many packets were skipped of each direction.
func (m *measured) skippedEachWay() uint64 {
	return m.outcome.Skipped / uint64(len(m.spec.Direction.Each()))
}

// uncounted is why blocks cannot tell how the values over a quantile depend on each other: ""
// where they hold all but a few of them. They hold no skipped packets, which follow each other.
func uncounted(h *traffic.Histogram, blocks *traffic.Blocks, q float64) string {
	if blocks == nil {
		return record.NotByWindows
	}
	var n uint64
	_, of := blocks.Over(0)
	for _, x := range of {
		n += x
	}
	if float64(h.Count-min(n, h.Count)) > (1-q)/4*float64(h.Count) {
		return record.NotByWindows
	}
	return ""
}

func designEffect(blocks *traffic.Blocks, limit uint64) float64 {
	if blocks == nil {
		return 0
	}
	over, of := blocks.Over(limit)
	list := make([]stats.Block, len(of))
	for i := range of {
		list[i] = stats.Block{Over: over[i], Of: of[i]}
	}
	return stats.DesignEffect(list)
}

// bounds are those of a quantile's 95 % interval, or why there are none.
func bounds(h *traffic.Histogram, q, median, own float64) (low, high uint64, why string) {
	if median == 0 || own == 0 {
		return 0, 0, record.Dependent
	}
	from, to, known := stats.QuantileShares(h.Count, q, median, own)
	if !known {
		return 0, 0, record.FewPackets
	}
	n := float64(h.Count)
	return max(1, h.AtLeast(uint64(from*n)+1)), h.Ranked(uint64(math.Ceil(to * n))), ""
}

// figures leaves a distribution's buckets out: the file is large enough.
func figures(l *record.Latency) *record.Latency {
	if l != nil {
		l.Buckets = nil
	}
	return l
}

// extent sums up by how much packets were late; nil when none was.
func extent(f *traffic.FlowOutcome) *record.Extent {
	h := &f.Extents
	if h.Count == 0 && f.ExtentUnknown == 0 {
		return nil
	}
	e := &record.Extent{P50: h.Quantile(0.5), P99: h.Quantile(0.99), Max: h.Max, Count: h.Count, Unknown: f.ExtentUnknown}
	if h.Count > 0 {
		e.Mean = float64(h.Sum) / float64(h.Count)
	}
	return e
}

func lossRuns(runs []traffic.LossRun) (list []record.LossRun) {
	for _, r := range runs {
		list = append(list, record.LossRun(r))
	}
	return list
}
