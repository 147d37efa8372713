package pfcp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// TestRequestsAreRepeated: a request is sent again N1 times, T1 apart, and then given up; an answer
// from elsewhere does not settle it. What follows may use the requests again.
func TestRequestsAreRepeated(t *testing.T) {
	l, h, now := newRequests(newTally()), Heartbeat{N1: 2}.withDefaults(), time.Unix(100, 0)
	sent, lost := 0, 0
	l.begin(func([]byte, netip.AddrPort) { sent++ })
	build := func(sequence uint32) []byte { return pfcp.Encode(pfcp.AssociationSetupRequest, 0, sequence) }
	l.ask(netip.MustParseAddrPort("192.0.2.1:0"), h, now, build, follow{lost: func(time.Time) { lost = 1 + len(l.due(h, now)) }})
	stranger := source{pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: 1}, netip.MustParseAddrPort("192.0.2.9:8805"), now}
	if l.settled(stranger, nil) {
		t.Error("a stranger's answer settles the request")
	}
	for range 5 {
		now = now.Add(h.T1)
		for _, one := range l.due(h, now) {
			if one.to != netip.MustParseAddrPort("192.0.2.1:8805") {
				t.Errorf("sent to %v", one.to)
			}
			sent++
		}
	}
	if sent != 3 || lost != 1 || len(l.waiting) != 0 {
		t.Errorf("sent %d times, given up %d times, %d wait; want 3, 1 and 0", sent, lost, len(l.waiting))
	}
}
