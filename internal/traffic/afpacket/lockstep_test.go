package afpacket

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/socket/threads"
)

// TestLockstep: batches cross a wire whole and right in both directions, with one clock reading before and one after; and a
// link without a wire in it is seen.
func TestLockstep(t *testing.T) {
	testbed := sitetest.Build(t)
	w, err := wire.Open(testbed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testbed.PrepareReceive(site.Receive{SinkNAPI: true}); err != nil {
		t.Fatal(err)
	}
	paths := wirePaths(testbed, false)
	for _, p := range paths {
		d := p.Flow.Direction
		l, err := OpenLockstep(p, 1, 8)
		if err != nil {
			t.Fatal(err)
		}
		readings := 0
		for range 5 {
			ticks, _, err := l.Batch(func() uint64 { readings++; return uint64(10 * readings) })
			if err != nil || ticks != 10 {
				t.Fatalf("%s: %d ticks, %v", d, ticks, err)
			}
		}
		if sent, o := l.Outcome(); sent != 40 || o.Received != 40 || len(o.Wrong) > 0 || o.Duplicates+o.Reordered > 0 {
			t.Errorf("%s: %d sent, %d arrived right, wrong: %v", d, sent, o.Received, o.Wrong)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLockstep(paths[0], 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, whole, err := l.Batch(threads.Monotonic); whole || err != nil {
		t.Errorf("without a wire: whole %v, %v", whole, err)
	}
	if sent, o := l.Outcome(); sent != 2 || o.Received != 0 {
		t.Errorf("without a wire %d sent, %d arrived", sent, o.Received)
	}
}
