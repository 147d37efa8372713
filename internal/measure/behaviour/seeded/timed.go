package seeded

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// timed are faults that are of no rule: they come with a change, or now and then.
func timed() []Fault {
	after := &losing{}
	return []Fault{
		{Name: "a modification takes effect 300 ms after its answer", Row: "far.update.drop",
			Also: []string{"far.path-switch", "far.path-switch.new-gnb", "far.end-marker", "far.end-marker.last", "qer.gate.update", "qer.qfi.update",
				"pdr.precedence.update", "session.modify.create", "session.modify.update-pdr", "session.modify.remove-pdr",
				"session.modify.remove-pdr.uplink", "session.modify.create-qer", "session.modify.teid"},
			ChangesAfter: 300 * time.Millisecond},
		{Name: "downlink packets are lost for 20 ms after each modification", Row: "far.update.drop",
			Also: []string{"far.path-switch", "far.path-switch.new-gnb", "far.end-marker.not-asked", "session.modify.create", "session.modify.update-pdr",
				"session.modify.remove-pdr.uplink", "session.modify.remove-qer", "session.modify.create-qer", "session.modify.bystander",
				"qer.qfi.update", "session.modify.remove-pdr"},
			Answer: after.answer, Arriving: after.arriving},
		{Name: "each 97th downlink packet goes to another tunnel", Row: "ip.exact.downlink",
			Also: []string{"gtpu.outer.ttl", "gtpu.outer.source", "gtpu.outer.header", "qer.qfi.lengths", "session.many",
				"pdr.two-sessions", "session.bystander"},
			Leaving: nthElsewhere(97)},
	}
}

// losing loses downlink packets after each answer to a modification.
type losing struct {
	mu sync.Mutex
	at time.Time
}

func (l *losing) answer(m []byte) []byte {
	if pfcp.MessageType(m[1]) == pfcp.SessionModificationResponse {
		l.mu.Lock()
		l.at = time.Now()
		l.mu.Unlock()
	}
	return m
}

func (l *losing) arriving(_ int, uplink bool, _ []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uplink || time.Since(l.at) > 20*time.Millisecond
}

// nthElsewhere changes the TEID of each n-th G-PDU.
func nthElsewhere(n int) func(int, bool, []byte) [][]byte {
	count := 0
	return func(_ int, _ bool, ip []byte) [][]byte {
		if carried(ip) {
			if count++; count%n == 0 {
				binary.BigEndian.PutUint32(ip[32:], binary.BigEndian.Uint32(ip[32:])^1)
				clear(ip[26:28])
			}
		}
		return [][]byte{ip}
	}
}
