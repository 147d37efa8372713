package n4

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
)

// TestModifiedFSEID: a CP F-SEID in a modification (TS 29.244 table 7.5.4.1-1) changes the SEID
// in reports and the address that they go to, which owns the session from then on.
func TestModifiedFSEID(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-periodic")
	moved := netip.MustParseAddr("127.0.0.9")
	modification := []byte{
		0x21, 52, 0, 12 + 17, 0, 0, 0, 0, 0, 0, 0, firstSEID, 0, 7, 1, 0, // header, sequence number 0x701
		0, 57, 0, 13, 0x02, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 127, 0, 0, 9, // F-SEID with IPv4
	}
	if got := causeOf(t, b.raw(modification)); got != ie.CauseRequestAccepted {
		t.Fatalf("cause %d", got)
	}
	var to netip.AddrPort
	var seid uint64
	b.requests.Numbers.Start(1)
	b.requests.Transmit = func(m []byte, at netip.AddrPort) { to, seid = at, binary.BigEndian.Uint64(m[4:]) }
	b.now = b.now.Add(10 * time.Second)
	b.settle()
	if to.Addr() != moved || seid != 0x1234 {
		t.Errorf("the report is for session %#x at %v, want %#x at %v", seid, to, 0x1234, moved)
	}
	b.peer = netip.AddrPortFrom(moved, 8805)
	query := []byte{0x21, 52, 0, 12, 0, 0, 0, 0, 0, 0, 0, firstSEID, 0, 7, 2, 0}
	if got := causeOf(t, b.raw(query)); got != ie.CauseRequestAccepted {
		t.Errorf("a modification from the new address: cause %d", got)
	}
}

// TestReportsWithoutUsableFSEID: reports of a session whose CP F-SEID has no address that N4, here of
// IPv4, can send to go to the CP function that the association is with.
func TestReportsWithoutUsableFSEID(t *testing.T) {
	addresses := map[string][]byte{
		"unspecified": append([]byte{0, 57, 0, 13, 0x02, 0, 0, 0, 0, 0, 0, 0x12, 0x34}, 0, 0, 0, 0),
		"of IPv6":     append([]byte{0, 57, 0, 25, 0x01, 0, 0, 0, 0, 0, 0, 0x12, 0x34}, netip.MustParseAddr("fd00::1").AsSlice()...),
		"IPv6 and no v4": append([]byte{0, 57, 0, 29, 0x03, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 0},
			netip.MustParseAddr("fd00::1").AsSlice()...),
	}
	for name, fseid := range addresses {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.play("setup", "establish-periodic")
			modification := append([]byte{0x21, 52, 0, byte(12 + len(fseid)), 0, 0, 0, 0, 0, 0, 0, firstSEID, 0, 7, 1, 0}, fseid...)
			if got := causeOf(t, b.raw(modification)); got != ie.CauseRequestAccepted {
				t.Fatalf("cause %d", got)
			}
			var to netip.AddrPort
			b.requests.Numbers.Start(1)
			b.requests.Transmit = func(_ []byte, at netip.AddrPort) { to = at }
			b.now = b.now.Add(10 * time.Second)
			b.settle()
			if to.Addr() != b.peer.Addr() {
				t.Errorf("the report goes to %v, want %v", to.Addr(), b.peer.Addr())
			}
		})
	}
}
