package forward

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

func way(c datapathtest.Frame) Direction {
	if c.Program == "n3" {
		return Uplink
	}
	return Downlink
}

// nextHops is a router that knows gen.py's network. It answers as the kernel's FIB does
// there: what it does not resolve, and what is local, is the kernel's.
type nextHops map[netip.Addr]Hop

func (h nextHops) Route(to netip.Addr, _ uint64) (Hop, Verdict) {
	x, found := h[to]
	if found {
		return x, Forward
	}
	if to.Is6() {
		switch b := to.As16(); {
		case b[5] != 3 && b[5] != 6:
			return x, Drop(datapath.ReasonNoRoute)
		case b[15] == 1:
			return x, Drop(datapath.ReasonToUPF)
		}
		return Hop{MTU: 1500}, Slow
	}
	switch destination := to.As4(); {
	case destination[0] == 127, destination[3] == 1 && destination[0] != 203:
		return x, Drop(datapath.ReasonToUPF)
	case destination[0] == 198 && destination[1] == 18:
		return x, Drop(datapath.ReasonEgress)
	case destination[3] == 77:
		return Hop{MTU: 1500}, Slow
	}
	return x, Drop(datapath.ReasonNoRoute)
}

func hopTo(from, to byte) Hop {
	return Hop{MTU: 1500, MACs: [12]byte{2, 0, 0, 0, from, 2, 2, 0, 0, 0, from, to}}
}

// forwarderFor is a forwarder with gen.py's sessions.
func forwarderFor(t testing.TB) *Forwarder {
	t.Helper()
	f := New(Config{
		N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 1000,
		UEPools: datapathtest.Pools(),
		Routers: [Directions]Router{
			Uplink:   nextHops{netip.MustParseAddr("198.51.100.2"): hopTo(6, 1), netip.MustParseAddr("2001:db8:6::2"): hopTo(6, 1)},
			Downlink: nextHops{netip.MustParseAddr("192.0.2.2"): hopTo(3, 1), netip.MustParseAddr("2001:db8:3::2"): hopTo(3, 1)},
		},
	})
	f.OnSlow(func(datapath.Slow) {})
	for _, r := range datapathtest.FrameSessions() {
		if err := f.Apply([]datapath.Change{{New: r}}); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// one forwards a frame; nil: it is not sent.
func (f *Forwarder) one(way Direction, b []byte) (sent []byte, v Verdict) {
	d := f.Decide(way, b, 1)
	if d.Verdict != Forward {
		return nil, d.Verdict
	}
	sent, _ = f.Write(make([]byte, 0, d.Bytes), &d)
	return sent, d.Verdict
}

// TestFrames gives scapy's frames to the forwarder.
func TestFrames(t *testing.T) {
	for _, c := range datapathtest.Frames(t) {
		t.Run(c.Name, func(t *testing.T) {
			f := forwarderFor(t)
			sent, v := f.one(way(c), c.Input(t))
			got := map[Verdict]string{Forward: "redirect", Pass: "pass", Slow: "slow"}[v]
			if reason, dropped := v.Reason(); dropped {
				got = "drop: " + reason.String()
			}
			want := c.Verdict
			switch {
			case c.Reason == datapath.ReasonNoTunnel.String(), c.Reason == datapath.ReasonPFCP.String():
				want = "pass" // no tunnel's: package suppress keeps it from being routed
			case want == "drop":
				want += ": " + c.Reason
			}
			if got != want {
				t.Errorf("verdict is %s, want %s", got, want)
			}
			if v == Forward && !bytes.Equal(sent, c.Output(t)) {
				t.Errorf("sent\n%x, want\n%s", sent, c.Out)
			}
			checkCounted(t, f, v)
		})
	}
}

// checkCounted holds that one packet was counted, for its verdict.
func checkCounted(t testing.TB, f *Forwarder, v Verdict) {
	t.Helper()
	c := f.Counters()
	forwarded := c.Uplink.Packets + c.Downlink.Packets
	reason, dropped := v.Reason()
	if (forwarded == 1) != (v == Forward || v == Slow) || (c.Passed == 1) != (v == Pass) || (len(c.Drops) == 1) != dropped {
		t.Errorf("verdict %d is counted as %+v", v, c)
	}
	if dropped && c.Drops[reason] != 1 {
		t.Errorf("a drop for %q is counted as %v", reason, c.Drops)
	}
}

// FuzzFrames: no frame breaks the forwarder, each is counted once, and what leaves
// is as long as was decided and has right checksums.
func FuzzFrames(fuzz *testing.F) {
	fuzztest.Brief(fuzz)
	for _, c := range datapathtest.Frames(fuzz) {
		fuzz.Add(c.Program == "n3", c.Input(fuzz))
	}
	fuzz.Fuzz(func(t *testing.T, fromN3 bool, b []byte) {
		in := Downlink
		if fromN3 {
			in = Uplink
		}
		f := forwarderFor(t)
		d := f.Decide(in, b, 1)
		if d.Verdict == Forward {
			sent, at := f.Write(make([]byte, 0, d.Bytes), &d)
			if len(sent) != d.Bytes || !fitting(sent[EthernetBytes:]) || !fitting(sent[at:]) {
				t.Errorf("wrote %x, %d octets were announced", sent, d.Bytes)
			}
			if PayloadOffset(sent[at:]) > len(sent)-at {
				t.Errorf("the payload begins %d octets into %x", PayloadOffset(sent[at:]), sent[at:])
			}
		}
		checkCounted(t, f, d.Verdict)
	})
}

// TestNothingAllocates: neither step does, in either direction.
func TestNothingAllocates(t *testing.T) {
	f := forwarderFor(t)
	buffer := make([]byte, 0, 2048)
	for _, c := range datapathtest.Frames(t) {
		b := c.Input(t)
		n := testing.AllocsPerRun(10, func() {
			if d := f.Decide(way(c), b, 1); d.Verdict == Forward {
				f.Write(buffer, &d)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", c.Name, n)
		}
	}
}

func fitting(ip []byte) bool {
	if isIPv6(ip) {
		return fits6(ip)
	}
	return fits(ip)
}

// TestNotices: IPv6 packets that a router answers are handed on, with the MTU where they
// do not fit.
func TestNotices(t *testing.T) {
	var got []datapath.Notice
	f := forwarderFor(t)
	f.OnNotice(func(n datapath.Notice) { got = append(got, n) })
	want := map[string]datapath.Notice{
		"n3 ipv6 link-local source": {SEID: 13, Uplink: true}, "n3 ipv6 too big": {SEID: 13, Uplink: true, MTU: 1500},
		"n6 ipv6 too big": {SEID: 13, MTU: 1456},
		"n3 too big, df":  {SEID: 1, Uplink: true, MTU: 1500}, "n3 ttl 1": {SEID: 1, Uplink: true, Expired: true},
		"n3 ipv6 hop limit 1": {SEID: 13, Uplink: true, Expired: true},
	}
	for _, c := range datapathtest.Frames(t) {
		w, wanted := want[c.Name]
		if !wanted {
			continue
		}
		got = nil
		f.one(way(c), c.Input(t))
		if len(got) != 1 || got[0].SEID != w.SEID || got[0].Uplink != w.Uplink || got[0].MTU != w.MTU ||
			got[0].Expired != w.Expired || !fitting(got[0].Packet) {
			t.Errorf("%s: handed on %+v, want %+v", c.Name, got, w)
		}
	}
}

// checkFrame wants what became of a frame to be what scapy's list says.
func checkFrame(t *testing.T, c datapathtest.Frame, sent []byte, v Verdict) {
	t.Helper()
	got := map[Verdict]string{Forward: "redirect", Pass: "pass"}[v]
	if reason, dropped := v.Reason(); dropped {
		got = "drop"
		if reason.String() != c.Reason {
			t.Errorf("%s: dropped for %v, want %s", c.Name, reason, c.Reason)
		}
	}
	if got != c.Verdict || v == Forward && !bytes.Equal(sent, c.Output(t)) {
		t.Errorf("%s: %s, sent\n%x, want %s,\n%s", c.Name, got, sent, c.Verdict, c.Out)
	}
}

// TestOuterFrames has IPv6 on N3: scapy's frames, each by Write and by WriteHead.
func TestOuterFrames(t *testing.T) {
	for _, c := range datapathtest.OuterFrames(t) {
		f := forwarderFor(t)
		f.n36, f.outer6 = datapathtest.N3Address6, true
		if err := f.Apply([]datapath.Change{{New: datapathtest.OuterSession()}}); err != nil {
			t.Fatal(err)
		}
		sent, v := f.one(way(c), c.Input(t))
		checkFrame(t, c, sent, v)
		if d := f.Decide(way(c), c.Input(t), 1); d.Verdict == Forward {
			if whole := append(f.WriteHead(nil, &d), d.TPDU...); !bytes.Equal(whole, c.Output(t)) {
				t.Errorf("%s: in two pieces\n%x, want\n%s", c.Name, whole, c.Out)
			}
		}
	}
}

// TestOuterIPv6IsRefused where N3 has no IPv6.
func TestOuterIPv6IsRefused(t *testing.T) {
	var rule *session.RuleError
	if err := forwarderFor(t).Apply([]datapath.Change{{New: datapathtest.OuterSession()}}); !errors.As(err, &rule) {
		t.Errorf("Apply: %v, want a *session.RuleError", err)
	}
}
