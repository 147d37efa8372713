package modelling

import (
	"cmp"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// merged is several distributions together: the mean is exact, the percentiles are those
// of the buckets.
func merged(list []*record.Latency) *record.Latency {
	m := &record.Latency{}
	counts := map[uint64]uint64{}
	sum := 0.0
	for _, l := range list {
		if m.Count == 0 || l.Min < m.Min {
			m.Min = l.Min
		}
		m.Max = max(m.Max, l.Max)
		m.Count += l.Count
		sum += l.Mean * float64(l.Count)
		for _, b := range l.Buckets {
			counts[b.UpTo] += b.Count
		}
	}
	for upTo, n := range counts {
		m.Buckets = append(m.Buckets, record.Bucket{UpTo: upTo, Count: n})
	}
	slices.SortFunc(m.Buckets, func(a, b record.Bucket) int { return cmp.Compare(a.UpTo, b.UpTo) })
	m.Mean = sum / float64(m.Count)
	for q, to := range map[float64]*uint64{0.5: &m.P50, 0.9: &m.P90, 0.95: &m.P95, 0.99: &m.P99, 0.999: &m.P999, 0.9999: &m.P9999} {
		*to = min(max(uint64(quantile(m, q)), m.Min), m.Max) // a bucket reaches beyond the values in it
	}
	return m
}
