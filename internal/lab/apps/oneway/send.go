package oneway

import (
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/threads"
)

// tooLate is how much later than due a burst may be sent: what waited longer is left out.
const tooLate = 5 * time.Millisecond

// send sends a packet each time one is due, or the bursts. What is due while the sender gets no CPU is
// left out: a burst would measure itself.
func (s *Stream) send() {
	o := outlet{of: s, to: s.to.LocalAddr().(*net.UDPAddr).AddrPort(), payload: make([]byte, s.options.Octets)}
	for i := range o.payload {
		o.payload[i] = signature.Fill
	}
	if s.options.Bursts != nil {
		o.bursts()
		return
	}
	for due := s.start; s.wait(due); due = s.next(due) {
		o.packet(due, len(o.payload))
	}
}

// outlet is where packets go out.
type outlet struct {
	of       *Stream
	to       netip.AddrPort
	payload  []byte
	sequence uint64
}

// packet sends one, and reports whether it went.
func (o *outlet) packet(due int64, octets int) bool {
	one := signature.Signature{Trial: o.of.options.Trial, Sequence: o.sequence, Intended: uint64(due), Sent: threads.Monotonic()}
	one.Put(o.payload)
	if _, err := o.of.from.WriteToUDPAddrPort(o.payload[:octets], o.to); err != nil {
		return false // an ICMP error for one before, or no buffer
	}
	o.of.report.Sent = append(o.of.report.Sent, time.Duration(int64(one.Sent)-o.of.start))
	o.sequence++
	return true
}

// bursts sends each when it is due.
func (o *outlet) bursts() {
	s := o.of
	for b := range s.options.Bursts {
		due := s.start + int64(b.Due)
		if !s.sleep(due) {
			return
		}
		if int64(threads.Monotonic())-due > int64(tooLate) {
			s.report.Skipped++
			continue
		}
		first, whole := o.sequence, true
		for left := b.Octets; left > 0; left -= len(o.payload) {
			whole = o.packet(due, max(signature.Bytes, min(left, len(o.payload)))) && whole
		}
		if n := o.sequence - first; !whole {
			s.report.Skipped++
		} else if n > 0 {
			s.report.Bursts = append(s.report.Bursts, Sending{First: first, Packets: n, Began: s.report.Sent[first]})
		}
	}
}

// nap is how long a thread sleeps at most before it asks whether the stream goes on.
const nap = 20 * time.Millisecond

// sleep is wait for a thread of its own.
func (s *Stream) sleep(due int64) bool {
	for {
		select {
		case <-s.quit:
			return false
		default:
		}
		left := time.Duration(due - int64(threads.Monotonic()))
		if left <= 0 {
			return true
		}
		threads.Sleep(min(left, nap))
	}
}

// wait waits until a time, and reports whether the stream goes on.
func (s *Stream) wait(due int64) bool {
	select {
	case <-s.quit:
		return false
	case <-time.After(time.Duration(due - int64(threads.Monotonic()))):
		return true
	}
}

// next is when the packet after one is due: the first time that is not over yet.
func (s *Stream) next(due int64) int64 {
	every := int64(s.options.Every)
	late := max(0, int64(threads.Monotonic())-due) / every
	return due + every*(late+1)
}
