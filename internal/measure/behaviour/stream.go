package behaviour

import (
	"errors"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
)

// Stream is traffic at a steady rate: one direction, and packets of one length.
type Stream struct {
	Up     bool
	Flows  []Flow // take turns
	Octets int    // of a T-PDU, from 60
	PPS    float64
	For    time.Duration
}

// Flow is packets of a UE. Uplink ones carry the QFI.
type Flow struct {
	UE  *UE
	QFI uint8
}

// socketPPS is about what the packet sockets of a lab send and read at a pace.
const socketPPS = 60_000

// Stream sends a stream as fast as the lab can: from inside the kernel, or else by packet
// sockets. It judges nothing. A rate beyond what these send makes the case inapplicable.
func (t *traffic) Stream(s Stream) (Users, error) {
	if send := t.Lab.Capabilities().Stream; send != nil {
		list, err := send(t.Ctx, s)
		return tally(list), errors.Join(err, t.Ctx.Err())
	}
	if s.PPS > socketPPS {
		return Users{}, fail.Inapplicable("it takes %.0f packets/s of %d octets, and the packet sockets of this lab "+
			"send %d at a pace", s.PPS, s.Octets, socketPPS)
	}
	var list []Packet
	for _, f := range s.Flows {
		p := Down(f.UE, "").Sized(s.Octets)
		if s.Up {
			p = Up(f.UE, "").Sized(s.Octets)
			p.Outer.QFI = f.QFI
		}
		list = append(list, p)
	}
	u, err := t.Observe(list, int(s.PPS), s.For)
	for i := range u.Fates {
		u.Fates[i].Flow = i % len(list)
	}
	return u, err
}

// tally sums fates up.
func tally(list []Fate) (u Users) {
	u.Fates, u.Sent = list, uint64(len(list))
	for i := range list {
		f := &list[i]
		if f.Arrived.IsZero() {
			u.Lost++
		} else {
			u.Latencies = append(u.Latencies, f.Arrived.Sub(f.Sent))
		}
	}
	slices.Sort(u.Latencies)
	return u
}
