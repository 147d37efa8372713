package impair

import (
	"math"
	"math/bits"
)

// A histogram has 512 buckets for each power of two: a duration is known to 0.2 %,
// which is finer than what is compared with it. Shown are 64 for each power.
const (
	subBits = 9
	sub     = 1 << subBits
	shown   = sub / 64
	maxBits = 40 // 2^40 ns is 18 minutes
	buckets = (maxBits - subBits + 1) * sub
)

// histogram counts durations, ns.
type histogram struct {
	counts        [buckets]uint64
	count         uint64
	sum, min, max uint64
}

func bucketOf(v uint64) int {
	switch {
	case v < sub:
		return int(v)
	case v>>maxBits != 0:
		return buckets - 1
	}
	power := bits.Len64(v) - 1 - subBits
	return sub*power + int(v>>power) // the leading bit is the +1 of the power
}

// upTo is a bucket's greatest value.
func upTo(bucket int) uint64 {
	if bucket < 2*sub {
		return uint64(bucket)
	}
	power := bucket/sub - 1
	return uint64(bucket%sub+sub+1)<<power - 1
}

func (h *histogram) add(v uint64) {
	if h.count == 0 || v < h.min {
		h.min = v
	}
	h.max = max(h.max, v)
	h.counts[bucketOf(v)]++
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
			return min(max(upTo(i), h.min), h.max)
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
		for _, fine := range h.counts[i : i+shown] {
			n += fine
		}
		if n > 0 {
			d.Buckets = append(d.Buckets, Bucket{upTo(i + shown - 1), n})
		}
	}
	return d
}
