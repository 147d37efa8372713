package xdp

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

func outer6Config() Config {
	cfg := labConfig()
	cfg.N3Address6 = datapathtest.N3Address6
	return cfg
}

// TestOuterIPv6: tunnels over IPv6, by a plain rule and by a chain of rows.
func TestOuterIPv6(t *testing.T) {
	l := newLab(t, outer6Config())
	r := datapathtest.OuterSession()
	must(t, "Apply", l.dp.Apply([]datapath.Change{{New: r}}))
	testOuterFrames(t, l)
	chained := r.Clone()
	chained.URRs = []session.URR{{ID: 1}}
	chained.PDRs[0].URRs, chained.PDRs[1].URRs = []uint32{1}, []uint32{1}
	must(t, "Apply", l.dp.Apply([]datapath.Change{{Old: r, New: chained}}))
	testOuterFrames(t, l)
	if u, err := l.dp.Usage(r.SEID, 1); err != nil || u.Uplink.Packets != 6 || u.Downlink.Packets != 9 {
		t.Errorf("usage %+v, %v, want 6 packets uplink and 9 downlink", u, err)
	}
}

// TestOuterIPv6OneInterface has N3 and N6 on one interface.
func TestOuterIPv6OneInterface(t *testing.T) {
	cfg := outer6Config()
	cfg.N6, cfg.Allow.Interfaces = cfg.N3, []string{"n6"}
	l := newLab(t, cfg)
	must(t, "Apply", l.dp.Apply([]datapath.Change{{New: datapathtest.OuterSession()}}))
	testOuterFrames(t, l)
}

func testOuterFrames(t *testing.T, l *lab) {
	t.Helper()
	for _, f := range datapathtest.OuterFrames(t) {
		if f.Name == "to another address" { // which the kernel would route
			f.Verdict, f.Reason = "drop", datapath.ReasonNoTunnel.String()
		}
		testFrame(t, l, frame{f.Name, f.Program, f.Frame, f.Verdict, f.Out, f.Reason})
	}
}

// TestOuterIPv6IsRefused where N3 has no IPv6.
func TestOuterIPv6IsRefused(t *testing.T) {
	if _, err := compile(datapathtest.OuterSession(), ends{}); err == nil {
		t.Error("compiled")
	}
}

// TestOuterIPv6Differs: octets changed at random, and all lengths, the programs and the
// forwarder agree.
func TestOuterIPv6Differs(t *testing.T) {
	d := newOuterDifferential(t)
	random := rand.New(rand.NewPCG(3, 4))
	frames := datapathtest.OuterFrames(t)
	for i := range 4000 {
		f := frames[random.IntN(len(frames))]
		in := bytes.Clone(f.Input(t))
		if i%2 == 0 && f.Name == "downlink ipv6" { // longer: the checksum takes other ways
			in = append(in, make([]byte, random.IntN(1300))...)
			in[18], in[19] = byte((len(in)-54)>>8), byte(len(in)-54)
		}
		for range random.IntN(3) {
			in[14+random.IntN(min(len(in)-14, 130))] = byte(random.Uint32())
		}
		way, p := forward.Uplink, d.dp.ports[0]
		if f.Program == "n6" {
			way, p = forward.Downlink, d.dp.ports[1]
		}
		kernel, user := d.inKernel(t, p, in), d.inUserSpace(way, in)
		if kernel.verdict != user.verdict || kernel.verdict == "sent" &&
			!slices.Equal(kernel.frame[:min(len(kernel.frame), len(user.frame))], user.frame) {
			t.Fatalf("%s: frame %x: the program: %s\n%x, the forwarder: %s\n%x", f.Name, in, kernel.verdict, kernel.frame, user.verdict, user.frame)
		}
	}
}

func newOuterDifferential(t *testing.T) *differential {
	t.Helper()
	l := newLab(t, outer6Config())
	d := &differential{lab: l, forwarder: forward.New(forward.Config{
		N3Address: l.dp.cfg.N3Address, N3Address6: l.dp.cfg.N3Address6, MaxSessions: 1000, UEPools: datapathtest.Pools(),
		Routers: [forward.Directions]forward.Router{forward.Uplink: labRoutes{6}, forward.Downlink: labRoutes{3}},
	})}
	d.forwarder.OnSlow(func(datapath.Slow) {})
	c := []datapath.Change{{New: datapathtest.OuterSession()}}
	must(t, "Apply", d.dp.Apply(c))
	must(t, "Apply to the forwarder", d.forwarder.Apply(c))
	d.before = d.counters(t)
	return d
}

// TestOuterIPv6Live sends the frames through the links, and has a router say that they are too
// big.
func TestOuterIPv6Live(t *testing.T) {
	for name, run := range map[string]func(*testing.T, datapath.Datapath){"frames": livetest.OuterIPv6, "path MTU": livetest.PathMTU} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, outer6Config())
			for _, peer := range []string{"n3p", "n6p"} {
				openTap(t, peer) // GRO on
			}
			run(t, l.dp)
		})
	}
}

// TestOuterIPv6IsResolved: the first packet to a gNB has the kernel resolve it.
func TestOuterIPv6IsResolved(t *testing.T) {
	l := newLab(t, outer6Config())
	r := datapathtest.OuterSession()
	r.FARs[1].Outer.Peer = r.FARs[1].Outer.Peer.Next() // nobody is there yet
	must(t, "Apply", l.dp.Apply([]datapath.Change{{New: r}}))
	link, err := netlink.LinkByName("n3")
	must(t, "find n3", err)
	own, err := netlink.ParseAddr("fe80::1/64") // that the kernel solicits from
	must(t, "parse", err)
	own.Flags = unix.IFA_F_NODAD
	must(t, "add a link-local address", netlink.AddrAdd(link, own))
	gnb := openTap(t, "n3p")
	for _, f := range datapathtest.OuterFrames(t) {
		if f.Name == "downlink ipv6" {
			l.run(t, "n6", f.Input(t))
		}
	}
	gnb.expect(t, "a neighbour solicitation", func(b []byte) bool {
		return len(b) >= 78 && b[12] == 0x86 && b[20] == 58 && b[54] == 135 && b[77] == 3
	})
}
