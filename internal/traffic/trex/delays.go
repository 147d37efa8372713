package trex

import (
	"fmt"
	"math"
	"strconv"

	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/traffic"
)

const (
	microsecond = 1000
	// longest is the longest delay that is believed, us: TRex takes a packet for its own
	// when its time is not further away than four seconds.
	longest = 4e6
)

func unreadable(what string, err error) error {
	return fmt.Errorf("TRex's %s are not as its specification says: %w", what, err)
}

// delays is a group's histogram, ns, of so many packets. TRex has buckets of 10 us below
// 100 us, of 100 us below 1 ms, and so on; a bucket's packets are counted at its upper end,
// or at the longest delay if that is in the bucket. So a quantile is a bucket too high at most, and too
// low only in the bucket of the longest delay, which leaves out the first packets. The sum, of which a mean would
// come, is that of upper ends, too.
//
// What TRex says of the packets below 10 us may be left over from an earlier stream: they
// are those that no other bucket has.
func (g *groupLatency) delays(packets uint64) (h traffic.Histogram, err error) {
	d := &g.Delay
	if d.HDR != "" {
		h, err = recorded(d.HDR)
		h.Grid = traffic.Microseconds
		return h, err
	}
	h.Grid = traffic.Decimals
	high := bound(d.Max)
	var above uint64
	for key, n := range d.Histogram {
		from, err := strconv.ParseUint(key, 10, 32)
		if err != nil {
			return h, unreadable("delays", err)
		}
		if from == 0 || n == 0 {
			continue
		}
		above += n
		count(&h, within(from, high), n)
	}
	g.rest(&h, less(packets, above), high)
	if low := bound(d.Min); low > 0 && h.Count > 0 {
		h.Min = min(h.Min, low)
	}
	return h, nil
}

// rest counts the packets that no bucket above 10 us has. They are the shortest, but where
// one took a second or more: TRex has no bucket for such.
func (g *groupLatency) rest(h *traffic.Histogram, n, highest uint64) {
	if n == 0 {
		return
	}
	const last = 1e9 // ns
	short := n
	if highest >= last {
		short = min(n, g.Delay.Histogram["0"])
	}
	if short > 0 {
		count(h, within(0, highest), short)
	}
	if short < n {
		count(h, highest, n-short)
	}
}

// upper is the upper end of the bucket that begins at so many us, in ns.
func upper(from uint64) uint64 {
	width := uint64(10)
	for from >= 10*width {
		width *= 10
	}
	return (from + width) * microsecond
}

// bound is a time of TRex's, us, in ns; 0: there is none yet. TRex gives nonsense before it
// has closed its first period of half a second.
func bound(us float64) uint64 {
	if math.IsNaN(us) || us <= 0 || us > longest {
		return 0
	}
	return uint64(us * microsecond)
}

// bounded is a jitter of TRex's, us, in ns.
func bounded(us float64) float64 {
	if math.IsNaN(us) || us < 0 || us > longest {
		return 0
	}
	return us * microsecond
}

// within is the delay, ns, at which a bucket that begins at so many us is counted: its upper
// end, or the highest delay if that is in the bucket. TRex's highest leaves out the first
// packets, so that a bucket above it has packets, too.
func within(from, highest uint64) uint64 {
	if highest > 0 && highest >= from*microsecond {
		return min(upper(from), highest)
	}
	return upper(from)
}

// count counts n values at v.
func count(h *traffic.Histogram, v, n uint64) {
	if h.Count == 0 || v < h.Min {
		h.Min = v
	}
	h.Max = max(h.Max, v)
	h.Counts[histogram.Bucket(v)] += n
	h.Count += n
	h.Sum += n * v
}
