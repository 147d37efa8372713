package sender

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestPacerSkips: past a stall, over all slots that are due.
func TestPacerSkips(t *testing.T) {
	const gap = 10_000 // ns
	g, p := generator{outputs: []*output{{seqs: make([]uint64, 1)}}}, &plan{slots: pacer{gap: gap << fraction, slots: 1000, start: 1 << 40}}
	p.total = p.slots.slots
	for range 10 {
		p.slots.advance(p.slots.due())
	}
	due := p.slots.due()
	if p.slots.skips(due + record.SkippedNS) {
		t.Error("a slot is skipped that is 500 us late")
	}
	if !p.slots.skips(due + record.SkippedNS + 1) {
		t.Error("a slot is sent that is over 500 us late")
	}
	g.skip(p, due+60*gap)
	if g.skipped != 61 || p.slots.due() != due+61*gap {
		t.Errorf("%d slots skipped, the next one is due %d ns later", g.skipped, p.slots.due()-due)
	}
	g.skip(p, due+9999*gap)
	if g.skipped != 990 || !p.slots.done() {
		t.Errorf("%d slots skipped of 990", g.skipped)
	}
}
