package afpacket

import (
	"math/bits"

	"github.com/upflab/upflab/internal/traffic"
)

// fraction is the schedule's resolution: 1/65536 ns, as traffic.Schedule.Gap has it.
const fraction = 16

// pacer says when each slot of a schedule is due. It is traffic.Schedule.Span, one
// slot after the other, in whole numbers.
type pacer struct {
	gap      uint64 // 1/65536 ns
	arrivals traffic.Arrivals
	slots    uint64 // in all
	start    uint64 // ns, of slot 0

	slot uint64 // the next one
	next uint64 // 1/65536 ns after start: when it is due
	step int    // its place in the arrivals
}

// due is when the next slot is, ns.
func (p *pacer) due() uint64 { return p.start + p.next>>fraction }

func (p *pacer) done() bool { return p.slot >= p.slots }

// advance goes to the slot after.
func (p *pacer) advance() {
	p.slot++
	if len(p.arrivals) == 0 {
		p.next += p.gap
		return
	}
	high, low := bits.Mul64(p.gap, uint64(p.arrivals[p.step]))
	p.next += high<<54 | low>>10 // over traffic.ArrivalUnit
	if p.step++; p.step == len(p.arrivals) {
		p.step = 0
	}
}
