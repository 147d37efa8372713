package sender

import (
	"math/bits"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// fraction is the schedule's resolution: 1/65536 ns, as traffic.Schedule.Gap has it.
const fraction = 16

// pacer says when each slot of a schedule is due. It is traffic.Schedule.Span, one
// slot after the other, in whole numbers.
type pacer struct {
	gap      uint64 // 1/65536 ns
	arrivals traffic.Arrivals
	shuffles bool   // traffic.Schedule.Reshuffle
	slots    uint64 // in all
	start    uint64 // ns, of slot 0

	slot  uint64 // the next one
	next  uint64 // 1/65536 ns after start: when it is due
	step  int    // its place in the round of the arrivals
	round uint64

	caughtUp uint64 // ns, when what was sent would be at twice the rate
}

// together slots that are late may be sent at once, as in the XDP engine.
const together = 32

// due is when the next slot is, ns.
func (p *pacer) due() uint64 { return p.start + p.next>>fraction }

func (p *pacer) done() bool { return p.slot >= p.slots }

// ready reports whether the next slot is to be sent now, ns: it is due, and not too
// many were sent at once, for no ring before a UPF holds what a stall has made late.
func (p *pacer) ready(now uint64) bool {
	return !p.done() && now >= p.due() && now+together*(p.gap>>(fraction+1)) >= p.caughtUp
}

// advance goes to the slot after the one that was sent now, ns.
func (p *pacer) advance(now uint64) {
	p.caughtUp = max(now, p.caughtUp) + p.pass()>>(fraction+1)
}

// pass goes to the next slot and gives how far it is, 1/65536 ns.
func (p *pacer) pass() uint64 {
	distance := p.distance()
	p.slot++
	p.next += distance
	return distance
}

// skips reports whether the next slot, and all others that are due by now, ns, come too
// late after a stall to be sent. They count as so late, and the XDP engine skips at the same
// lateness.
func (p *pacer) skips(now uint64) bool { return now > p.due()+record.SkippedNS }

// distance is that from the next slot to the one after, 1/65536 ns.
func (p *pacer) distance() uint64 {
	if len(p.arrivals) == 0 {
		return p.gap
	}
	at := p.step
	if p.shuffles {
		at = traffic.Place(p.round, p.step)
	}
	high, low := bits.Mul64(p.gap, uint64(p.arrivals[at]))
	if p.step++; p.step == len(p.arrivals) {
		p.step = 0
		p.round++
	}
	return high<<54 | low>>10 // over traffic.ArrivalUnit
}
