package packet

import (
	"encoding/hex"
	"net/netip"
	"testing"
)

// padded are short packets in frames of 60 octets, as scapy wrote them, with what they carry.
var padded = []struct{ name, packet, padding string }{
	// raw(IP(src="198.51.100.10", dst="10.45.0.2", id=1)/UDP(sport=2000, dport=1000)/Raw(bytes.fromhex("00112233445566778899aabbccddeeff"))
	{"IPv4", "4500002c0001000040114654c633640a0a2d000207d003e80018035600112233445566778899aabbccddeeff", "0000"},
	// raw(IPv6(src="2001:db8:6::10", dst="2001:db8:6::20", nh=59))
	{"IPv6", "6000000000003b4020010db800060000000000000000001020010db8000600000000000000000020", "000000000000"},
}

// TestPaddingIsNoPacket: octets behind an IP packet, with which a link fills a short frame, are none of it.
func TestPaddingIsNoPacket(t *testing.T) {
	for _, p := range padded {
		ip, err := hex.DecodeString(p.packet)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := Read(append(ip, make([]byte, len(p.padding)/2)...), 0x0011223344556677)
		if !ok || len(r.IP) != len(ip) || len(r.TPDU) != len(ip) {
			t.Errorf("%s: %v, %d octets of %d", p.name, ok, len(r.IP), len(ip))
		}
	}
	w := Wrapping{From: netip.MustParseAddr("198.51.100.10"), To: netip.MustParseAddr("10.45.0.2"), UDP: true, ToPort: 1000}
	ip, _ := hex.DecodeString(padded[0].packet)
	if inner, why := w.Unwrap(append(ip, 0, 0)); why != "" || len(inner) != 16 {
		t.Errorf("unwrapped: %q, %d octets", why, len(inner))
	}
	if !UDPSumRight(append(ip, 0, 0)) {
		t.Error("padding is in the checksum")
	}
}

// TestPad: short frames alone are filled.
func TestPad(t *testing.T) {
	for _, n := range []int{0, 14, 59, 60, 61, 1514} {
		if got := len(Pad(make([]byte, n))); got != max(n, 60) {
			t.Errorf("a frame of %d octets has %d", n, got)
		}
	}
}
