package impair

import (
	"math"

	layout "github.com/upflab/upflab/internal/proto/histogram"
)

// A histogram has 512 buckets for each power of two: a duration is known to 0.2 %,
// which is finer than what is compared with it. Shown are 64 for each power.
const (
	subBits = 9
	maxBits = 40 // 2^40 ns are 18 minutes
	buckets = (maxBits - subBits + 1) << subBits
	shown   = 1 << (subBits - 6)
)

func fine() layout.Layout { return layout.Layout{SubBits: subBits, MaxBits: maxBits} }

// histogram counts durations, ns.
type histogram struct {
	counts        [buckets]uint64
	count         uint64
	sum, min, max uint64
}

func (h *histogram) add(v uint64) {
	if h.count == 0 || v < h.min {
		h.min = v
	}
	h.max = max(h.max, v)
	h.counts[fine().Bucket(v)]++
	h.count++
	h.sum += v
}

// quantile is the nearest rank's bucket's greatest value.
func (h *histogram) quantile(q float64) uint64 {
	const rounding = 1e-12
	rank := uint64(math.Ceil(q * float64(h.count) * (1 - rounding)))
	var seen uint64
	for i, n := range h.counts {
		if seen += n; n > 0 && seen >= rank {
			return min(max(fine().Upper(i), h.min), h.max)
		}
	}
	return h.max
}

func (h *histogram) view() Distribution {
	if h.count == 0 {
		return Distribution{}
	}
	d := Distribution{
		Count: h.count, Min: h.min, Mean: float64(h.sum) / float64(h.count), Max: h.max,
		P50: h.quantile(0.5), P90: h.quantile(0.9), P99: h.quantile(0.99), P999: h.quantile(0.999),
	}
	for i := 0; i < buckets; i += shown {
		var n uint64
		for _, k := range h.counts[i : i+shown] {
			n += k
		}
		if n > 0 {
			d.Buckets = append(d.Buckets, Bucket{fine().Upper(i + shown - 1), n})
		}
	}
	return d
}
