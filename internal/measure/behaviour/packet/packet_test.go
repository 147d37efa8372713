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
	for _, c := range []struct {
		story   string
		change  func(*Inner)
		matters bool
	}{
		{"without DF", func(p *Inner) { p.DontFragment = false }, true},
		{"with DF", func(p *Inner) { p.DontFragment = true }, false},
		{"of a first fragment", func(p *Inner) { p.DontFragment, p.MoreFragments = true, true }, true},
		{"of a later fragment", func(p *Inner) { p.DontFragment, p.Offset = true, 160 }, true},
	} {
		p := udp
		c.change(&p)
		sent := p.Bytes(mark)
		p.ID ^= 0x0101
		if what, _ := Difference(sent, p.Bytes(mark)); (what == "inner-identification") != c.matters || !c.matters && what != "" {
			t.Errorf("another identification of a packet %s is %q", c.story, what)
		}
	}
}

// TestReadsBrokenErrors: what a UPF sends in a tunnel may be cut, or have a header that is longer than it.
func TestReadsBrokenErrors(t *testing.T) {
	for _, length := range []int{0, 1, 19, 20, 27, 28, 40, 41, 59, 60, 67, 68} {
		for _, first := range []byte{0x40, 0x44, 0x45, 0x4f, 0x60} {
			tpdu := make([]byte, length)
			if length > 0 {
				tpdu[0] = first
			}
			if length > 9 {
				tpdu[9] = ICMP
			}
			r, ok := Read(outer.Encapsulate(tpdu), mark.Run)
			if !ok || !r.Tunnelled || r.Marked {
				t.Errorf("a T-PDU of %d octets from %#x is read as %+v, %v", length, first, r, ok)
			}
		}
	}
	if body := Body4(udp.Bytes(mark)); len(body) != len(udp.Bytes(mark))-20 {
		t.Errorf("a packet's payload has %d octets", len(body))
	}
}

// TestSplit: a packet is cut in as many pieces as asked for, of about the same size, and put together again by their
// offsets (RFC 791 clause 3.2).
func TestSplit(t *testing.T) {
	for _, c := range []struct{ octets, pieces, want int }{{1601, 2, 2}, {1600, 2, 2}, {1599, 2, 2}, {1601, 3, 3},
		{25, 3, 3}, {9, 2, 2}, {8, 1, 1}, {9, 1, 1}} {
		ip := make([]byte, 20+c.octets)
		ip[0] = 0x45
		for i := range c.octets {
			ip[20+i] = byte(i)
		}
		list := Split(ip, c.pieces, 7)
		if len(list) != c.want {
			t.Errorf("%d octets in %d give %d pieces, want %d", c.octets, c.pieces, len(list), c.want)
		}
		whole := make([]byte, c.octets)
		for i, f := range list {
			offset := int(f[6])<<8 | int(f[7])
			if more := offset&0x2000 != 0; more != (i < len(list)-1) {
				t.Errorf("%d octets in %d: more follow piece %d: %t", c.octets, c.pieces, i, more)
			}
			copy(whole[offset&0x1fff*8:], f[20:])
		}
		if !bytes.Equal(whole, ip[20:]) {
			t.Errorf("%d octets in %d pieces are not put together again", c.octets, c.pieces)
		}
	}
}
