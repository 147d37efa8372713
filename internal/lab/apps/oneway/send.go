package oneway

import (
	"net"
	"time"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/threads"
)

// send sends a packet each time one is due. What is due while the sender gets no CPU is
// left out: a burst would measure itself.
func (s *Stream) send() {
	payload := make([]byte, s.options.Octets)
	for i := range payload {
		payload[i] = signature.Fill
	}
	to := s.to.LocalAddr().(*net.UDPAddr).AddrPort()
	sequence := uint64(0)
	for due := s.start; s.wait(due); due = s.next(due) {
		one := signature.Signature{Trial: s.options.Trial, Sequence: sequence, Intended: uint64(due), Sent: threads.Monotonic()}
		one.Put(payload)
		if _, err := s.from.WriteToUDPAddrPort(payload, to); err != nil {
			continue // it was not sent: an ICMP error for one before, or no buffer
		}
		s.report.Sent = append(s.report.Sent, time.Duration(int64(one.Sent)-s.start))
		sequence++
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
