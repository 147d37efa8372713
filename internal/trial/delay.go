package trial

import (
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// confidence is that of the intervals of quantiles.
const confidence = 0.95

// latency sums delays up, with the intervals of their quantiles.
func latency(h *traffic.Histogram) *record.Latency {
	l := h.Latency()
	if l == nil {
		return nil
	}
	l.P50Low, l.P50High = bounds(h, 0.5)
	l.P99Low, l.P99High = bounds(h, 0.99)
	l.P999Low, l.P999High = bounds(h, 0.999)
	l.P9999Low, l.P9999High = bounds(h, 0.9999)
	return l
}

// bounds are the values at the ranks of a quantile's interval; 0: none.
func bounds(h *traffic.Histogram, q float64) (low, high uint64) {
	lowest, highest := stats.QuantileRanks(h.Count, q, confidence)
	if lowest > 0 {
		low = h.Ranked(lowest)
	}
	if highest > 0 {
		high = h.Ranked(highest)
	}
	return low, high
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
