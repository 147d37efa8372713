package packet

import (
	"encoding/binary"
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

// TestPaddingOfFragmentsIsNoPacket: a short last fragment is filled, too, whichever comes first.
func TestPaddingOfFragmentsIsNoPacket(t *testing.T) {
	whole := outer.Encapsulate(udp.Bytes(mark))
	parts := Split(whole, 2, 1)
	parts[1] = append(parts[1], make([]byte, 6)...)
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		var a Reassembly
		a.Add(parts[order[0]])
		ip, pieces := a.Add(parts[order[1]])
		r, ok := Read(ip, mark.Run)
		if what, why := r.Flaw(); !ok || pieces != 2 || len(ip) != len(whole) || what != "" {
			t.Errorf("%v: %d octets of %d in %d fragments: %s", order, len(ip), len(whole), pieces, why)
		}
	}
}

// TestOctetsBehindUDP: what is in IP, and not in UDP's length, is not in the GTP-U message.
func TestOctetsBehindUDP(t *testing.T) {
	ip := append(outer.Encapsulate(udp.Bytes(mark)), 0, 0, 0, 0)
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	r, ok := Read(ip, mark.Run)
	if what, why := r.Flaw(); !ok || !r.Tunnelled || what != "" {
		t.Errorf("%v, tunnelled %t: %s", ok, r.Tunnelled, why)
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
