package icmp4

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

func packetOf(t testing.TB, digits string, length int) []byte {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return append(b, make([]byte, max(0, length-len(b)))...)
}

// The headers, and those of the answer, are scapy's:
// IP(src="198.51.100.2", dst="10.45.0.2", flags="DF", len=1500)/UDP(sport=5, dport=6), and
// ICMP(type=3, code=4, nexthopmtu=1456) / the first 548 octets of it, zeros behind the headers.
const big = "450005dc00014000401100acc63364020a2d00020005000605c8bfee"

func TestTooBig(t *testing.T) {
	m := TooBig(packetOf(t, big, 1500), 1456)
	if len(m) != 556 || !bytes.Equal(m[:8], packetOf(t, "0304318a000005b0", 0)) {
		t.Fatalf("%d octets %x", len(m), m)
	}
	if !bytes.Equal(m[8:36], packetOf(t, big, 0)) {
		t.Errorf("it quotes %x", m[8:36])
	}
	for what, change := range map[string]func(p []byte){
		"one that may be fragmented": func(p []byte) { p[6] = 0 },
		"a later fragment":           func(p []byte) { p[7] = 9 },
		"an ICMP error":              func(p []byte) { p[9], p[20] = 1, 11 },
		"one from everywhere":        func(p []byte) { p[12] = 0 },
		"a multicast source":         func(p []byte) { p[12] = 239 },
		"a header too short":         func(p []byte) { p[0] = 0x44 },
	} {
		p := packetOf(t, big, 1500)
		change(p)
		if m := TooBig(p, 1456); m != nil {
			t.Errorf("%s is answered with %x", what, m)
		}
	}
	ping := packetOf(t, big, 1500)
	ping[9], ping[20] = 1, 8
	if TooBig(ping, 1456) == nil {
		t.Error("a ping is not answered")
	}
}

// TestTooBigPacket: to a UE, the whole packet. Its headers are scapy's.
func TestTooBigPacket(t *testing.T) {
	p := packetOf(t, "450005dc00014000401100ac0a2d0002c6336402000500060008c5ae", 1500)
	b := TooBigPacket(p, 1400, netip.MustParseAddr("192.0.2.1"))
	if want := packetOf(t, "45000240000000004001ac8dc00002010a2d0002030431c200000578", 0); len(b) != 576 ||
		!bytes.Equal(b[:28], want) || !bytes.Equal(b[28:], p[:548]) {
		t.Errorf("%d octets %x", len(b), b)
	}
	p[6] = 0
	if b := TooBigPacket(p, 1400, netip.MustParseAddr("192.0.2.1")); b != nil {
		t.Errorf("one that may be fragmented is answered with %x", b)
	}
}

// TestExpiredPacket: the packet and the headers of the answer are scapy's.
func TestExpiredPacket(t *testing.T) {
	p := packetOf(t, "4500006400010000011185240a2d0002c6336402000500060008cb26", 100)
	router := netip.MustParseAddr("192.0.2.1")
	if b := ExpiredPacket(p, router); len(b) != 128 ||
		!bytes.Equal(b[:28], packetOf(t, "45000080000000004001ae4dc00002010a2d00020b0029c600000000", 0)) ||
		!bytes.Equal(b[28:], p) {
		t.Errorf("%d octets %x", len(b), b)
	}
	for what, change := range map[string]func(p []byte){
		"a later fragment": func(p []byte) { p[7] = 9 },
		"an ICMP error":    func(p []byte) { p[9], p[20] = 1, 11 },
		"no host's":        func(p []byte) { p[12] = 239 },
	} {
		p := bytes.Clone(p)
		change(p)
		if b := ExpiredPacket(p, router); b != nil {
			t.Errorf("%s is answered with %x", what, b)
		}
	}
}

func FuzzTooBig(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(packetOf(f, big, 100), 1456)
	f.Fuzz(func(t *testing.T, packet []byte, mtu int) {
		if m := TooBig(packet, mtu&0xffff); len(m) > most-headerMin {
			t.Errorf("%x is answered with %d octets", packet, len(m))
		}
	})
}
