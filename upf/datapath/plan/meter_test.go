package plan

import (
	"testing"
	"time"

	"github.com/upflab/upflab/upf/session"
)

// TestLongWindow: the longest averaging window that the IE can give, 2^32-1 ms, makes the deepest
// bucket, and one just longer than what a depth has room for no shallower one.
func TestLongWindow(t *testing.T) {
	last := uint64(0)
	for _, ms := range []uint64{80, 2000, 1 << 20, 1 << 23, 281_474_977, 1<<32 - 1} {
		q := session.QER{MBRUL: 1_000_000_000, Window: time.Duration(ms) * time.Millisecond}
		got, want := RateOf(&q, session.Access).Depth/millisecond, min(ms/8, 1<<20-1)
		if got != want || got < last {
			t.Errorf("a window of %d ms has a depth of %d ms, want %d", ms, got, want)
		}
		last = got
	}
}
