package scan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/record"
)

// scanned is a lab whose UPF gets TCP segments at N3, and answers as answer says: with SYN and ACK (0x12), RST and
// ACK (0x14), SYN (0x02) when it sends the segment on to N6, or with nothing (0).
type scanned struct {
	behaviour.Lab
	answer func(port uint16, try int) byte
	tries  map[uint16]int
	n3, n6 func([]byte)
}

type scannedPort struct {
	send func([]byte) error
	on   *func([]byte)
}

func (p scannedPort) Send(ip []byte) error { return p.send(ip) }
func (p scannedPort) On(f func([]byte))    { *p.on = f }

func (s *scanned) N3() behaviour.Port { return scannedPort{s.take, &s.n3} }
func (s *scanned) N6() behaviour.Port { return scannedPort{nil, &s.n6} }

func (s *scanned) take(ip []byte) error {
	port := binary.BigEndian.Uint16(ip[22:])
	s.tries[port]++
	flags := s.answer(port, s.tries[port])
	switch flags {
	case 0:
	case 0x02:
		s.n6(append([]byte(nil), ip...))
	default:
		back := append([]byte(nil), ip...)
		copy(back[12:16], ip[16:20])
		copy(back[16:20], ip[12:16])
		copy(back[20:22], ip[22:24])
		copy(back[22:24], ip[20:22])
		back[33] = flags
		s.n3(back)
	}
	return nil
}

// A port is said to be closed when it was heard of, or when nothing on the way is lost any more. What a busy machine
// lost is asked again; where it goes on losing, nobody knows.
func TestClosedHearsOfEachPort(t *testing.T) {
	const last = 1500
	var random *rand.Rand
	for name, c := range map[string]struct {
		answer  func(port uint16, try int) byte
		verdict record.Verdict
		says    string
	}{
		"an open port whose first SYN is lost": {func(port uint16, try int) byte {
			switch {
			case port != 1090:
				return 0x14
			case try == 1:
				return 0
			}
			return 0x12
		}, record.VerdictNotEnforced, "[1090]"},
		"an open port, and half of all packets are lost": {func(port uint16, _ int) byte {
			switch {
			case random.Float64() < 0.5:
				return 0
			case port == 1090:
				return 0x12
			}
			return 0x14
		}, record.VerdictNotEnforced, "[1090]"},
		"nine in ten packets are lost": {func(uint16, int) byte {
			if random.Float64() < 0.9 {
				return 0
			}
			return 0x14
		}, record.VerdictNotApplicable, "not known"},
		"all are closed":              {func(uint16, int) byte { return 0x14 }, "", ""},
		"all go on to N6":             {func(uint16, int) byte { return 0x02 }, "", ""},
		"the UPF is silent":           {func(uint16, int) byte { return 0 }, "", ""},
		"a wall in front of a closed": {func(port uint16, _ int) byte { return map[bool]byte{true: 0x14}[port == 22] }, "", ""},
		"a wall in front of an open": {func(port uint16, _ int) byte { return map[bool]byte{true: 0x12}[port == 22] },
			record.VerdictNotEnforced, "[22]"},
	} {
		t.Run(name, func(t *testing.T) {
			random = rand.New(rand.NewPCG(1, 2))
			lab := &scanned{answer: c.answer, tries: map[uint16]int{}}
			run := behaviour.NewT(context.Background(), &behaviour.Bench{Lab: lab, Inbox: inbox.New(1, netip.Prefix{})}, behaviour.Sample())
			run.Inbox.Listen(lab.N3().On, true)
			run.Inbox.Listen(lab.N6().On, false)
			err := closed(run, FromN3(run.Fixture), netip.MustParseAddr("192.0.2.1"), last)
			var f *fail.Failure
			switch {
			case c.verdict == "" && err != nil:
				t.Fatal(err)
			case c.verdict == "":
				return
			case !errors.As(err, &f) || f.Verdict != c.verdict || !strings.Contains(f.Observed, c.says):
				t.Fatalf("%v", err)
			}
			if f.Verdict == record.VerdictNotApplicable && !f.Soft {
				t.Error("it is not repeated")
			}
		})
	}
}

// Answers are scapy's: IP(src="192.0.2.1", dst="192.0.2.9")/TCP(sport=22, dport=40000, flags=...), and the SYN the other way.
func TestProbe(t *testing.T) {
	us, upf := netip.MustParseAddr("192.0.2.9"), netip.MustParseAddr("192.0.2.1")
	for text, want := range map[string]packet.Probed{
		"45000028000100004006f6c4c0000201c000020900169c400000000000000000501220006f710000": packet.Open,
		"45000028000100004006f6c4c0000201c000020900169c400000000000000000501420006f6f0000": packet.Closed,
		"45000028000100004006f6c4c0000201c000020900169c400000000000000000500420006f7f0000": packet.Closed,
		"45000028000100004006f6c4c0000201c000020900169c400000000000000000501020006f730000": packet.Unrelated,
		"45000028000100004006f6c4c0000201c000020900169c400000000000000000501120006f720000": packet.Unrelated,
		"45000028000100004006f6c4c0000209c00002019c4000160000000000000000500220006f810000": packet.Passed,
		"45000028000100004006f6c4c0000201c000020900169c410000000000000000501220006f700000": packet.Unrelated,
		"45000028000100004011f6b9c0000201c000020900169c4000140c92787878787878787878787878": packet.Unrelated,
	} {
		var ip []byte
		if _, err := fmt.Sscanf(text, "%x", &ip); err != nil {
			t.Fatal(err)
		}
		port, told := packet.Probe(ip, us, upf, scanFrom)
		if told != want || want != packet.Unrelated && port != 22 {
			t.Errorf("%s: port %d, %d", text, port, told)
		}
		for n := range ip { // a UPF may cut it, or lie about its header
			packet.Probe(ip[:n], us, upf, scanFrom)
			longer := append([]byte(nil), ip...)
			longer[0] = 0x40 | byte(n&0xf)
			packet.Probe(longer, us, upf, scanFrom)
		}
	}
}
