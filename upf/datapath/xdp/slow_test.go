package xdp

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

// slowPackets collects what a datapath leaves to the kernel.
func slowPackets(d *Datapath) chan datapath.Slow {
	got := make(chan datapath.Slow, 100)
	d.slow.OnSlow(func(s datapath.Slow) {
		s.Packet = bytes.Clone(s.Packet)
		got <- s
	})
	return got
}

func next[T any](t *testing.T, what string, got chan T) (one T) {
	t.Helper()
	select {
	case one = <-got:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s is not handed on", what)
	}
	return one
}

func slowFrame(t *testing.T, name string) []byte {
	t.Helper()
	for _, f := range datapathtest.SlowFrames(t) {
		if f.Name == name {
			return slices.Clone(f.Frames[0])
		}
	}
	t.Fatalf("no frame %q", name)
	return nil
}

// TestSlowHeaders: what is before a T-PDU that is to be fragmented does not depend on the UPF's address,
// which N3 and tunnels on N6 may share, nor on the port of a tunnel's other end, which may be GTP-U's.
func TestSlowHeaders(t *testing.T) {
	const ip, udp, gtp, container = 20, 8, 8, 8
	cfg := labConfig()
	cfg.N6Tunnels = datapathtest.N6Tunnels()
	cfg.N6Tunnels.Address = cfg.N3Address
	l := newLab(t, cfg)
	got := slowPackets(l.dp)
	exit := datapathtest.ExitSession(session.UDPv4)
	exit.FARs[0].Outer.Port = gtpu.Port
	must(t, "Apply", l.dp.Apply(additions(append(frameSessions(), exit))))
	for _, c := range []struct {
		program, frame string
		tpdu           int
		gtpu           bool
	}{
		{"n3", "uplink into UDP/IPv4", ip + udp, false},
		{"n6", "downlink", ip + udp + gtp + container, true},
		{"n6", "downlink with a paging policy", ip + udp + gtp + container + 4, true},
	} {
		l.run(t, c.program, slowFrame(t, c.frame))
		s := next(t, c.frame, got)
		if s.TPDU != c.tpdu || s.GTPU != c.gtpu || s.MTU != 1500 {
			t.Errorf("%s: T-PDU at %d, GTP-U %v, MTU %d, want %d, %v, 1500", c.frame, s.TPDU, s.GTPU, s.MTU, c.tpdu, c.gtpu)
		}
	}
}

// gpdu is a G-PDU of the session of 10.45.0.2, or of its IPv6 prefix, with a T-PDU to the data
// network, as the kernel gives it.
func gpdu(t *testing.T, tpdu []byte) []byte {
	t.Helper()
	in, _ := liveFrame(t, "n3 psc")
	message := append(slices.Clone(in[14+20+8:][:8+8]), tpdu...)
	binary.BigEndian.PutUint16(message[2:], uint16(len(message)-8))
	return message
}

// TestInjectedMTU: a T-PDU out of fragments that does not fit is fragmented to what any link takes that it
// may leave by, and those of IPv6 and with DF are not.
func TestInjectedMTU(t *testing.T) {
	cfg := labConfig()
	cfg.Allow.Interfaces = []string{"n4"}
	l := newLab(t, cfg)
	got := slowPackets(l.dp)
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	big := func(df byte) []byte {
		in, _ := liveFrame(t, "n3 psc")
		ip := append(slices.Clone(in[14+20+8+8+8:][:20]), make([]byte, 1980)...)
		binary.BigEndian.PutUint16(ip[2:], 2000)
		ip[6], ip[7] = df, 0
		renew(ip, 0)
		return ip
	}
	gnb := netip.MustParseAddr("192.0.2.2")
	if !l.dp.slow.injector.Inject(gpdu(t, big(0)), gnb, 0) {
		t.Fatal("a G-PDU is not taken")
	}
	if s := next(t, "a T-PDU", got); s.MTU != 1500 || s.TPDU != 0 || len(s.Packet) != 2000 {
		t.Errorf("MTU %d, T-PDU at %d, %d octets, want 1500, 0 and 2000", s.MTU, s.TPDU, len(s.Packet))
	}
	link, err := netlink.LinkByName("n4")
	must(t, "find n4", err)
	must(t, "set its MTU", netlink.LinkSetMTU(link, 1300))
	if !wait.Until(10*time.Second, 10*time.Millisecond, func() bool { return l.dp.router.MTU() == 1300 }) {
		t.Fatalf("MTU %d, want n4's 1300", l.dp.router.MTU())
	}
}
