package traffic

import (
	"math"

	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/record"
)

// Histogram counts values by bucket: durations in ns, or numbers of packets.
type Histogram struct {
	Counts        [histogram.Buckets]uint64
	Count         uint64
	Sum, Min, Max uint64
	Grid          Grid // of its values, where they came coarser than its buckets
}

// Grid is what values were rounded up to before they were counted.
type Grid uint8

// The grids. Those of TRex are whole microseconds, or buckets of 10 us below 100 us, of 100
// us below 1 ms and so on.
const (
	Fine Grid = iota
	Microseconds
	Decimals
)

// Step is by how much a value may be too high, ns; 0: no more than the histogram's buckets.
func (g Grid) Step(v uint64) uint64 {
	const microsecond = 1000
	switch g {
	case Microseconds:
		return max(microsecond, v/1000)
	case Decimals:
		step := uint64(10 * microsecond)
		for v > 10*step {
			step *= 10
		}
		return step
	}
	return 0
}

// Add counts one value.
func (h *Histogram) Add(v uint64) { h.AddN(v, 1) }

// AddN counts n of one value, 1 and up.
func (h *Histogram) AddN(v, n uint64) {
	if h.Count == 0 || v < h.Min {
		h.Min = v
	}
	h.Max = max(h.Max, v)
	h.Counts[histogram.Bucket(v)] += n
	h.Count += n
	h.Sum += v * n
}

// Quantile gives the smallest value that at least a share q, 0..1, of the values
// does not exceed (nearest rank); its error is at most a bucket's width.
func (h *Histogram) Quantile(q float64) uint64 {
	const rounding = 1e-12 // 0.07 * 100 is more than 7
	return h.Ranked(uint64(math.Ceil(q * float64(h.Count) * (1 - rounding))))
}

// Ranked gives the value of a rank, from 1, in ascending order; its error is at
// most a bucket's width.
func (h *Histogram) Ranked(rank uint64) uint64 {
	return min(max(histogram.Upper(h.bucket(rank)), h.Min), h.Max)
}

// AtLeast gives the lowest that the value of a rank, from 1, can be: Ranked is the highest.
func (h *Histogram) AtLeast(rank uint64) uint64 {
	return min(max(histogram.Lower(h.bucket(rank)), h.Min), h.Max)
}

// bucket is that of the value of a rank.
func (h *Histogram) bucket(rank uint64) int {
	rank = min(max(rank, 1), h.Count)
	var seen uint64
	for i, n := range h.Counts {
		if seen += n; n > 0 && seen >= rank {
			return i
		}
	}
	return histogram.Buckets - 1
}

// Merge adds the values of another histogram.
func (h *Histogram) Merge(other *Histogram) {
	switch {
	case other.Count == 0:
	case h.Count == 0:
		h.Min, h.Max = other.Min, other.Max
	default:
		h.Min, h.Max = min(h.Min, other.Min), max(h.Max, other.Max)
	}
	for i, n := range other.Counts {
		h.Counts[i] += n
	}
	h.Count += other.Count
	h.Sum += other.Sum
	h.Grid = max(h.Grid, other.Grid)
}

// AddCounts adds the counts of another histogram, and nothing else of it.
func (h *Histogram) AddCounts(other *Histogram) {
	for i, n := range other.Counts {
		h.Counts[i] += n
	}
	h.Count += other.Count
}

// Plus is both histograms' values together.
func (h *Histogram) Plus(other *Histogram) *Histogram {
	sum := *h
	sum.Merge(other)
	return &sum
}

// Since is what came to h after an earlier reading of the same histogram; its
// extremes are those of the buckets.
func (h *Histogram) Since(earlier *Histogram) *Histogram {
	d := &Histogram{}
	for i, n := range h.Counts {
		if n -= earlier.Counts[i]; n > 0 {
			d.Counts[i] = n
			d.Count += n
			d.Max = histogram.Upper(i)
		}
	}
	return d
}

// Above is the distribution of what values exceed the least one by: of delays, the
// packet delay variation of RFC 5481 clause 4.2. A quantile may be too high by what the
// histogram resolves of the value, which may be much of the difference: it says so then. Mean
// and maximum are exact. nil when the histogram is empty.
func (h *Histogram) Above() *record.Latency {
	l := h.Latency()
	if l == nil {
		return nil
	}
	for _, x := range []struct {
		name string
		ns   *uint64
	}{{"p50", &l.P50}, {"p90", &l.P90}, {"p95", &l.P95}, {"p99", &l.P99}, {"p999", &l.P999}, {"p9999", &l.P9999}} {
		step := h.step(*x.ns)
		*x.ns -= h.Min
		if float64(step) > resolved*float64(*x.ns) {
			l.Unresolved = append(l.Unresolved, x.name)
		}
	}
	l.P50Step, l.P99Step = 0, 0 // Unresolved says it
	l.Min, l.Max, l.Mean, l.Buckets = 0, l.Max-h.Min, l.Mean-float64(h.Min), nil
	return l
}

// resolved is by how much a difference may be too high, as a ratio, that is known.
const resolved = 0.1

// step is by how much a quantile of this value may be too high: it is the end of a bucket, or
// the greatest value in it.
func (h *Histogram) step(v uint64) uint64 {
	at := histogram.Bucket(v)
	return max(v-max(min(histogram.Lower(at), v), h.Min), h.Grid.Step(v))
}

// Latency sums the histogram up; nil when it is empty.
func (h *Histogram) Latency() *record.Latency {
	if h.Count == 0 {
		return nil
	}
	l := &record.Latency{
		Min: h.Min, Max: h.Max, Mean: float64(h.Sum) / float64(h.Count), Count: h.Count,
		P50: h.Quantile(0.5), P90: h.Quantile(0.9), P95: h.Quantile(0.95), P99: h.Quantile(0.99),
		P999: h.Quantile(0.999), P9999: h.Quantile(0.9999),
	}
	l.P50Step, l.P99Step = h.Grid.Step(l.P50), h.Grid.Step(l.P99)
	for i, n := range h.Counts {
		if n > 0 {
			l.Buckets = append(l.Buckets, record.Bucket{UpTo: histogram.Upper(i), Count: n})
		}
	}
	return l
}
