package hosts

import (
	"math/bits"

	"github.com/upflab/upflab/internal/traffic"
)

const (
	// backMost is how many packets/s are sent back, about: thousands in a trial, and next to
	// nothing for a UPF.
	backMost = 500
	// backPart is the least part of packets: one in so many at slow loads.
	backPart = 16
	// backAtMax is the part of a load without a rate: some 1000 of millions a second.
	backAtMax = 8192
)

// sendBack has the sinks send a sample of the packets back where hosts have clocks of their
// own: what a trial sends uplink, or else downlink.
func (e *Engine) sendBack(s *traffic.Schedule) {
	every := uint32(0)
	if !e.session.OneClock() && !s.Burst {
		every = backEvery(s.PPS)
	}
	up := s.Sequence.Uses(uplink)
	for i, k := range e.sinks {
		k.back = 0
		if dn := i == len(e.sinks)-1; dn == up {
			k.back = every
		}
	}
}

// backEvery is which part of a load is sent back, one packet in so many: a power of two.
func backEvery(pps float64) uint32 {
	if pps == 0 {
		return backAtMax
	}
	return 1 << bits.Len32(max(backPart, uint32(pps/backMost))-1)
}

// returning are the sessions whose packets come back to the host that sent them.
func (s *Session) returning(oneGNB bool) lanes {
	if !oneGNB {
		return lanes{1, 1}
	}
	return lanes{len(s.lanes()), len(s.Generators[0].Facts.CPUs)}
}

// OneClock reports whether all generators and the sink have one clock.
func (s *Session) OneClock() bool {
	for _, h := range s.Hosts() {
		if k := h.Facts.Clock.Kernel; k == "" || k != s.Sink.Facts.Clock.Kernel {
			return false
		}
	}
	return true
}
