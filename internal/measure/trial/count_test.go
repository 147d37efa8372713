package trial

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

// batches are so many that took the same, and one more each time that something came in between.
func batches(n int, ticks uint64, disturbed ...uint64) (list []batch) {
	for i := range n {
		b := batch{ticks: ticks, whole: true, program: 563}
		if i < len(disturbed) {
			b.ticks += disturbed[i]
		}
		list = append(list, b)
	}
	return list
}

// TestSettle: what came in between, and the first batches, change no figure; the bench's part is left out.
func TestSettle(t *testing.T) {
	c := counting{batches: 100, uncounted: 2, each: 32}
	c.add(batch{ticks: 9e6, whole: true})
	c.add(batch{ticks: 8e6, whole: true})
	for _, b := range batches(100, 32*1000, 70_000, 6_000, 6_000, 40) {
		c.add(b)
	}
	x := record.Instructions{Direction: record.Uplink, Bench: 600}
	c.settle(&x)
	if !x.Valid || x.Each != 400 || x.Program != 563 || x.Batches != 100 {
		t.Errorf("%+v, want 400 instructions, 563 of the program, of 100 batches", x)
	}
	if want := 400 + (70_000+6_000+6_000+40)/32./100; x.Mean < want-0.01 || x.Mean > want+0.01 {
		t.Errorf("mean %v, want %v", x.Mean, want)
	}
}

// TestSettleLate: a UPF that forwards later than packets come has no figure, and the reason says why.
func TestSettleLate(t *testing.T) {
	c := counting{batches: 10, uncounted: 0, each: 32}
	for _, b := range batches(10, 32*1000) {
		b.whole = len(c.all) >= 5
		c.add(b)
	}
	var x record.Instructions
	c.settle(&x)
	if x.Valid || x.Each != 0 || len(x.Reasons) != 1 || !strings.HasPrefix(x.Reasons[0], "in 5 of 10 batches some packets arrived only when") {
		t.Errorf("%+v", x)
	}
}

// TestPerPacket: counters that a processor lacks are not known, rather than 0.
func TestPerPacket(t *testing.T) {
	got := perPacket(map[string]uint64{telemetry.CounterInstructions: 5000, telemetry.CounterCacheMisses: 0}, 10)
	if got == nil || got.Instructions == nil || *got.Instructions != 500 || got.CacheMisses == nil || *got.CacheMisses != 0 || got.Cycles != nil ||
		got.BranchMisses != nil {
		t.Errorf("%+v", got)
	}
	if perPacket(nil, 10) != nil || perPacket(map[string]uint64{telemetry.CounterCycles: 1}, 0) != nil {
		t.Error("counters of nothing, or of no packets, came to something")
	}
}
