package n4

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/icmp4"
	"github.com/upflab/upflab/upf/n4/association"
)

// icmp6Message is one that scapy made.
func icmp6Message(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../icmp6/testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if digits, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			b, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	t.Fatalf("no message %q", name)
	return nil
}

// routed is a bench whose session has a prefix, and what it sends: into tunnels, and by
// ICMPv6.
func routed(t *testing.T) (b *bench, sent *[]string) {
	sent = &[]string{}
	b = newBench(t, func(c *Config) {
		c.Forward = func(to forward.Tunnel, tpdu []byte) {
			*sent = append(*sent, fmt.Sprintf("%#x %x", to.TEID, tpdu))
		}
		c.SendICMPv6 = func(to netip.Addr, m []byte) { *sent = append(*sent, fmt.Sprintf("%v %x", to, m[:8])) }
	})
	b.play("setup", "ipv6")
	return b, sent
}

func (b *bench) notice(n datapath.Notice) {
	b.dp.Notice(n)
	for len(b.handed.Notices) > 0 {
		b.handed.Answer(<-b.handed.Notices, b.now)
	}
}

// TestRouterAdvertisement: a UE's Router Solicitation is answered in its tunnel, with its
// prefix.
func TestRouterAdvertisement(t *testing.T) {
	b, sent := routed(t)
	b.notice(datapath.Notice{SEID: firstSEID, Uplink: true, Packet: icmp6Message(t, "rs")})
	if want := fmt.Sprintf("[0x2 %x]", icmp6Message(t, "ra")); fmt.Sprint(*sent) != want {
		t.Errorf("sent %v\nwant %s", *sent, want)
	}
	if n := b.Counters().Advertised; n != 1 {
		t.Errorf("%d are counted as advertised", n)
	}
	b.notice(datapath.Notice{SEID: firstSEID + 1, Uplink: true, Packet: icmp6Message(t, "rs")})
	b.notice(datapath.Notice{SEID: firstSEID, Uplink: true, Packet: icmp6Message(t, "rs-checksum")})
	if len(*sent) != 1 {
		t.Errorf("what has no answer was answered: %v", *sent)
	}
}

// TestPacketTooBig: a packet that does not fit is answered to its sender.
func TestPacketTooBig(t *testing.T) {
	b, sent := routed(t)
	long := icmp6Message(t, "long")
	b.notice(datapath.Notice{SEID: firstSEID, Uplink: true, MTU: 1500, Packet: long})
	b.notice(datapath.Notice{SEID: firstSEID, MTU: 1456, Packet: long})
	want := fmt.Sprintf("[0x2 %x 2001:db8:45:2::9 02000000000005b0]", icmp6Message(t, "too-big"))
	if fmt.Sprint(*sent) != want || b.Counters().TooBigSent != 2 {
		t.Errorf("sent %v\nwant %s", *sent, want)
	}
}

// TestNoticesOfASession: one has ten answers a second.
func TestNoticesOfASession(t *testing.T) {
	b, sent := routed(t)
	rs := bytes.Clone(icmp6Message(t, "rs"))
	for range 30 {
		b.notice(datapath.Notice{SEID: firstSEID, Uplink: true, Packet: rs})
	}
	if len(*sent) != association.NoticesPerSecond {
		t.Errorf("%d answers in a second, want %d", len(*sent), association.NoticesPerSecond)
	}
	b.now = b.now.Add(time.Second)
	b.notice(datapath.Notice{SEID: firstSEID, Uplink: true, Packet: rs})
	if len(*sent) != association.NoticesPerSecond+1 {
		t.Error("no answer in the next second")
	}
}

// TestUplinkTooBig: a UE whose IPv4 packet with DF does not fit N6 is told in its tunnel, by the
// UPF's address on N3; of one without DF nothing is said.
func TestUplinkTooBig(t *testing.T) {
	type answer struct {
		teid uint32
		tpdu []byte
	}
	var sent []answer
	b := newBench(t, func(c *Config) {
		c.Forward = func(to forward.Tunnel, tpdu []byte) { sent = append(sent, answer{to.TEID, bytes.Clone(tpdu)}) }
	})
	b.play("setup", "establish-given")
	packet := make([]byte, 1500)
	copy(packet, []byte{0x45, 0, 0x05, 0xdc, 0, 1, 0x40, 0, 64, 17, 0, 0, 10, 45, 0, 2, 198, 51, 100, 2})
	n := datapath.Notice{SEID: firstSEID, Uplink: true, MTU: 1400, Packet: packet}
	b.notice(n)
	if len(sent) != 1 || b.Counters().TooBigSent != 1 {
		t.Fatalf("%d answers, %+v", len(sent), b.Counters())
	}
	// Source, destination, type and code, and MTU (RFC 792, RFC 1191).
	ip := sent[0].tpdu
	router := b.cfg.N3.As4()
	if sent[0].teid != 2 || !bytes.Equal(ip[12:16], router[:]) || !bytes.Equal(ip[16:20], packet[12:16]) ||
		!bytes.Equal(ip[20:22], []byte{3, 4}) || !bytes.Equal(ip[26:28], []byte{1400 >> 8, 1400 & 0xff}) || !bytes.Equal(ip[28:48], packet[:20]) {
		t.Errorf("TEID %#x, packet %x", sent[0].teid, ip)
	}
	packet[6] = 0
	if b.notice(n); len(sent) != 1 {
		t.Error("one that may be fragmented is answered")
	}
}

// TestUplinkExpired: a UE whose packet has no hop left is told in its tunnel, of an IPv4 packet by
// the UPF's address on N3, of an IPv6 packet by its router.
func TestUplinkExpired(t *testing.T) {
	var sent []string
	b := newBench(t, func(c *Config) {
		c.Forward = func(to forward.Tunnel, tpdu []byte) { sent = append(sent, fmt.Sprintf("%#x %x", to.TEID, tpdu)) }
	})
	b.play("setup", "establish-given")
	packet := []byte{0x45, 0, 0, 28, 0, 1, 0, 0, 1, 17, 0, 0, 10, 45, 0, 2, 198, 51, 100, 2, 0, 5, 0, 6, 0, 8, 0, 0}
	n := datapath.Notice{SEID: firstSEID, Uplink: true, Expired: true, Packet: packet}
	b.notice(n)
	want := fmt.Sprintf("0x2 %x", icmp4.ExpiredPacket(packet, b.cfg.N3))
	if len(sent) != 1 || sent[0] != want || b.Counters().ExpiredSent != 1 || b.Counters().TooBigSent != 0 {
		t.Errorf("sent %v, want %s; %+v", sent, want, b.Counters())
	}
	for range 2 * association.NoticesPerSecond {
		b.notice(n)
	}
	if len(sent) != association.NoticesPerSecond {
		t.Errorf("%d answers in a second, want %d", len(sent), association.NoticesPerSecond)
	}
	six, sent6 := routed(t)
	six.notice(datapath.Notice{SEID: firstSEID, Uplink: true, Expired: true, Packet: icmp6Message(t, "long")})
	if want := fmt.Sprintf("[0x2 %x]", icmp6Message(t, "expired")); fmt.Sprint(*sent6) != want {
		t.Errorf("sent %v\nwant %s", *sent6, want)
	}
}

// TestDownlinkExpired: a host on N6 whose packet has no hop left is told, with the message that scapy
// makes (ICMP(type=11) / Raw(packet)), ten times a second at most.
func TestDownlinkExpired(t *testing.T) {
	const packet, message = "4500001c000100000111856cc63364020a2d0002000500060008cb6e",
		"0b00297e000000004500001c000100000111856cc63364020a2d0002000500060008cb6e"
	var sent []string
	b := newBench(t, func(c *Config) {
		c.SendICMP = func(to netip.Addr, m []byte) { sent = append(sent, fmt.Sprintf("%v %x", to, m)) }
	})
	b.play("setup", "establish-given")
	p, err := hex.DecodeString(packet)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * association.NoticesPerSecond {
		b.notice(datapath.Notice{SEID: firstSEID, Expired: true, Packet: p})
	}
	if want := "198.51.100.2 " + message; len(sent) != association.NoticesPerSecond || sent[0] != want || b.Counters().ExpiredSent != association.NoticesPerSecond {
		t.Errorf("%d messages, the first of %q\nwant %s", len(sent), sent, want)
	}
	six, sent6 := routed(t)
	six.notice(datapath.Notice{SEID: firstSEID, Expired: true, Packet: icmp6Message(t, "long")})
	if want := "[2001:db8:45:2::9 0300000000000000]"; fmt.Sprint(*sent6) != want {
		t.Errorf("sent %v\nwant %s", *sent6, want)
	}
}
