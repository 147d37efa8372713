package n3

import (
	"bytes"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/session"
)

// story is an endpoint that supervises one gNB, without a socket.
type story struct {
	*Endpoint
	t     *testing.T
	now   time.Time
	peers []netip.Addr
	told  []string
	asked []uint16 // sequence numbers
}

func newStory(t *testing.T) *story {
	s := &story{t: t, now: time.Unix(1_800_000_000, 0), peers: []netip.Addr{gnb}}
	s.Endpoint = New(nil, Config{
		Address: netip.MustParseAddr("192.0.2.1"), KnownTEID: func(uint32) bool { return false },
		Supervision: Supervision{
			Interval: time.Minute, Failed: func(a netip.Addr) { s.told = append(s.told, "failed "+a.String()) },
			Recovered: func(a netip.Addr) { s.told = append(s.told, "recovered "+a.String()) },
		},
	})
	return s
}

// pass lets time pass in steps of a second; the gNB answers where it is up.
func (s *story) pass(seconds int, up bool) {
	for range seconds {
		due, failed := s.duePeers(s.peers, s.now)
		for _, peer := range failed {
			s.told = append(s.told, "failed "+peer.String())
		}
		for peer, sequence := range due {
			s.asked = append(s.asked, sequence)
			if up {
				s.receive(nil, gtpu.AppendEchoResponse(nil, sequence), peer, s.now)
			}
		}
		s.now = s.now.Add(time.Second)
	}
}

// TestSupervision: a request a minute; three without an answer are a failure, which is
// told once, and so is its end.
func TestSupervision(t *testing.T) {
	s := newStory(t)
	s.pass(180, true)
	if len(s.asked) != 3 || len(s.told) != 0 {
		t.Fatalf("asked %v in three minutes, told %v; want 3 requests", s.asked, s.told)
	}
	s.asked = nil
	s.pass(240, false)
	if len(s.told) != 1 || s.told[0] != "failed 192.0.2.2" || s.asked[0] != s.asked[2] || s.asked[3] == s.asked[2] {
		t.Fatalf("told %v, asked %v; want one failure after three times the same request", s.told, s.asked)
	}
	s.pass(120, true)
	if len(s.told) != 2 || s.told[1] != "recovered 192.0.2.2" {
		t.Errorf("told %v, want a recovery", s.told)
	}
	if c := s.Counters(); c.PathsFailed != 1 || c.EchoesSent == 0 || c.EchoResponses != 5 {
		t.Errorf("counters %+v", c)
	}
}

// TestSupervisionEnds: without tunnels to it a gNB is not asked; an answer that nobody
// asked for changes nothing.
func TestSupervisionEnds(t *testing.T) {
	s := newStory(t)
	s.peers = nil
	s.pass(100, true)
	s.receive(nil, gtpu.AppendEchoResponse(nil, 1), gnb, s.now)
	if c := s.Counters(); c.EchoesSent != 0 || c.EchoResponses != 0 || c.Other != 1 || len(s.paths) != 0 {
		t.Errorf("counters %+v, paths %v", c, s.paths)
	}
}

// TestTunnelGone: an Error Indication speaks for its sender's tunnels alone.
func TestTunnelGone(t *testing.T) {
	var gone []session.OuterHeader
	e := New(nil, Config{
		Address: netip.MustParseAddr("192.0.2.9"), KnownTEID: func(uint32) bool { return false },
		TunnelGone: func(o session.OuterHeader, _ time.Time) bool { gone = append(gone, o); return true },
	})
	at := netip.MustParseAddr("192.0.2.1") // that the message names
	e.receive(nil, message(t, "error-indication"), gnb, time.Unix(0, 0))
	if len(gone) != 0 {
		t.Errorf("%v are gone, says another gNB", gone)
	}
	e.receive(nil, message(t, "error-indication"), at, time.Unix(0, 0))
	if len(gone) != 1 || gone[0] != (session.OuterHeader{TEID: 0x11223344, Peer: at}) {
		t.Errorf("gone %v", gone)
	}
}

// TestUnknownExtension: one that an endpoint has to understand is answered by the list
// of those that it does, and not more often than Error Indications.
func TestUnknownExtension(t *testing.T) {
	e := newEndpoint(nil, 0)
	b := []byte{0x36, 0xff, 0, 8, 0, 0, 0, 1, 0x12, 0x34, 0, 0xc0, 1, 0, 0, 0}
	want := []byte{0x32, 31, 0, 7, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 141, 1, 0x85} // TS 29.281 clauses 7.2.3 and 8.5
	if got, port := e.receive(nil, b, gnb, time.Unix(0, 0)); !bytes.Equal(got, want) || port != gtpu.Port {
		t.Errorf("answered by %x to port %d, want %x", got, port, want)
	}
	for range 1000 {
		e.receive(nil, b, gnb, time.Unix(0, 0))
	}
	if got, _ := e.receive(nil, b, gnb, time.Unix(0, 0)); len(got) != 0 || e.Counters().UnknownExtension != 1002 {
		t.Errorf("after 1001 messages in a second there is an answer %x; counters %+v", got, e.Counters())
	}
}

// TestEndMarkerGoesOn: an intermediate UPF passes it on, once for each tunnel.
func TestEndMarkerGoesOn(t *testing.T) {
	next, upf := listen(t), listen(t)
	e := New(upf, Config{
		Address: netip.MustParseAddr("192.0.2.1"), KnownTEID: func(uint32) bool { return true },
		PeerPort: next.LocalAddr().(*net.UDPAddr).AddrPort().Port(),
		Onward: func(teid uint32) []session.OuterHeader {
			if teid != 0x77 {
				return nil
			}
			return []session.OuterHeader{{TEID: 0x55, Peer: netip.MustParseAddr("127.0.0.1")}}
		},
	})
	e.receive(nil, gtpu.AppendEndMarker(nil, 0x78), gnb, time.Unix(0, 0))
	e.receive(nil, gtpu.AppendEndMarker(nil, 0x77), gnb, time.Unix(0, 0))
	if got := read(t, next); !bytes.Equal(got, message(t, "end-marker")) {
		t.Errorf("sent %x, want the End Marker", got)
	}
	if c := e.Counters(); c.EndMarkers != 1 {
		t.Errorf("counters %+v", c)
	}
}
