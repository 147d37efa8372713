package ask

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// TestRequestsAreRepeated: a request is sent again N1 times, T1 apart, and then given up; an answer
// from elsewhere does not settle it. What follows may use the requests again.
func TestRequestsAreRepeated(t *testing.T) {
	l, h, now := New(tally.New()), association.Heartbeat{N1: 2}.WithDefaults(), time.Unix(100, 0)
	sent, lost := 0, 0
	l.Begin(func([]byte, netip.AddrPort) { sent++ })
	build := func(sequence uint32) []byte { return pfcp.Encode(pfcp.AssociationSetupRequest, 0, sequence) }
	l.Ask(netip.MustParseAddrPort("192.0.2.1:0"), h, now, build, Follow{Lost: func(time.Time) { lost = 1 + len(l.Due(h, now)) }})
	stranger := request.Source{Header: pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: 1}, Peer: netip.MustParseAddrPort("192.0.2.9:8805"), At: now}
	if l.Settled(stranger, nil) {
		t.Error("a stranger's answer settles the request")
	}
	for range 5 {
		now = now.Add(h.T1)
		for _, one := range l.Due(h, now) {
			if one.To != netip.MustParseAddrPort("192.0.2.1:8805") {
				t.Errorf("sent to %v", one.To)
			}
			sent++
		}
	}
	if sent != 3 || lost != 1 || len(l.Waiting) != 0 {
		t.Errorf("sent %d times, given up %d times, %d wait; want 3, 1 and 0", sent, lost, len(l.Waiting))
	}
}
