package traffic

import (
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/traffic/window"
)

// However many windows there are, and whichever part counted them, blocks hold each value
// once, at its time.
func TestBlocksHoldAllValues(t *testing.T) {
	for _, windows := range []uint64{0, 5, 128, 129, 2900, 60_000} {
		r := rand.New(rand.NewPCG(1, windows))
		var parts [3]Blocks
		var all Histogram
		byTime := map[uint64]uint64{} // by 2^14 windows, of values over 1 ms
		const first = 77<<14 - 3
		for id := uint64(first); id < first+windows; id++ {
			for range 2 {
				v := uint64(1e6 * r.ExpFloat64())
				var w window.Values
				w.Add(v)
				all.Add(v)
				parts[r.IntN(1+r.IntN(3))].add(id, &w)
				if histogram.Bucket(v) > histogram.Bucket(1e6) {
					byTime[id>>14]++
				}
			}
		}
		var whole Blocks
		for i := range parts {
			whole.merge(&parts[i])
		}
		over, of := whole.Over(1e6)
		var sum, sumOver uint64
		for i := range of {
			sum, sumOver = sum+of[i], sumOver+over[i]
			byTime[whole.List[i].ID<<whole.Level>>14] -= over[i]
		}
		var want uint64
		for i, n := range all.Counts {
			if i > histogram.Bucket(1e6) {
				want += n
			}
		}
		if sum != all.Count || sumOver != want || len(of) > blocksMax || windows > blocksMax && len(of) < blocksMax/2 {
			t.Errorf("%d windows: %d blocks hold %d values of %d, %d of %d over the limit", windows, len(of), sum, all.Count, sumOver, want)
		}
		for at, n := range byTime {
			if n != 0 {
				t.Errorf("%d windows: %d values are missing at %d", windows, int64(n), at)
			}
		}
	}
}
