package packet

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/proto/gtpu"
)

// expected are the packets that scapy built, by name.
func expected(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/packets.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for line := range strings.Lines(string(text)) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		if all[name], err = hex.DecodeString(digits); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

var (
	mark = Mark{Run: 0x0102030405060708, Number: 42}
	udp  = Inner{From: netip.MustParseAddr("10.45.0.2"), To: netip.MustParseAddr("198.51.100.10"), Protocol: UDP,
		FromPort: 1000, ToPort: 2000, TTL: 64, ID: 7, Length: 100, DontFragment: true}
	outer = Outer{From: netip.MustParseAddr("192.0.2.1"), To: netip.MustParseAddr("192.0.2.3"), TEID: 0x1001, QFI: 9}
)

// TestBytes compares packets with scapy's.
func TestBytes(t *testing.T) {
	want := expected(t)
	tcp, icmp, udp6, plain := udp, udp, udp, outer
	tcp.Protocol, tcp.Length, tcp.TOS, tcp.DontFragment = TCP, 80, 0xb8, false
	icmp.Protocol, icmp.Length, icmp.DontFragment = ICMP, 68, false
	udp6.From, udp6.To, udp6.Length = netip.MustParseAddr("2001:db8:45::1"), netip.MustParseAddr("2001:db8:6::10"), 120
	plain.NoContainer = true
	for name, got := range map[string][]byte{
		"udp": udp.Bytes(mark), "tcp": tcp.Bytes(mark), "icmp": icmp.Bytes(mark), "udp6": udp6.Bytes(mark),
		"gpdu": outer.Encapsulate(udp.Bytes(mark)), "gpdu-plain": plain.Encapsulate(udp.Bytes(mark)),
	} {
		if !bytes.Equal(got, want[name]) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, want[name])
		}
	}
}

// TestRead finds marks, and not in errors that quote a packet.
func TestRead(t *testing.T) {
	r, ok := Read(outer.Encapsulate(udp.Bytes(mark)), mark.Run)
	if !ok || !r.Marked || r.Mark != mark || !r.Tunnelled || r.Header.Type != gtpu.GPDU || !same(udp.Bytes(mark), r.TPDU) {
		t.Errorf("a G-PDU is read as %+v, %v", r, ok)
	}
	quoting := udp
	quoting.Protocol, quoting.Length = ICMP, 300
	for at, ip := range map[int][]byte{20: quoting.Bytes(mark), 64: outer.Encapsulate(quoting.Bytes(mark))} {
		ip[at] = 3 // destination unreachable in place of echo
		if r, ok := Read(ip, mark.Run); !ok || r.Marked {
			t.Errorf("an ICMP error of %d octets is taken for the packet that it quotes: %v %v", len(ip), ok, r.Marked)
		}
	}
	for n := range 60 { // nothing panics on what is cut
		Read(outer.Encapsulate(udp.Bytes(mark))[:n], mark.Run)
	}
}

func same(sent, got []byte) bool { _, why := Difference(sent, got); return why == "" }

// TestDifference finds a changed octet, and lets a router lower the TTL.
func TestDifference(t *testing.T) {
	sent := udp.Bytes(mark)
	lower := udp
	lower.TTL--
	if _, why := Difference(sent, lower.Bytes(mark)); why != "" {
		t.Errorf("a lower TTL differs: %s", why)
	}
	changed := bytes.Clone(sent)
	changed[len(changed)-1] ^= 1
	if same(sent, changed) || same(sent, sent[:len(sent)-1]) {
		t.Error("a changed or shorter packet is the same")
	}
	changed = bytes.Clone(sent)
	changed[8]--
	if what, _ := Difference(sent, changed); what != DiffersInChecksum {
		t.Error("a wrong header checksum is not found")
	}
}
