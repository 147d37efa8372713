package xdp

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

func exitConfig() Config {
	cfg := labConfig()
	cfg.N6Tunnels = datapathtest.N6Tunnels()
	return cfg
}

// TestExits: tunnels on N6, with the octets that scapy expects.
func TestExits(t *testing.T) {
	l := newLab(t, exitConfig())
	must(t, "Apply", l.dp.Apply(additions(datapathtest.ExitSessions())))
	for _, f := range datapathtest.ExitFrames(t) {
		testFrame(t, l, frame{f.Name, f.Program, f.Frame, f.Verdict, f.Out, f.Reason})
	}
}

// TestExitsOneInterface has N3 and N6 on one interface, and URRs that count.
func TestExitsOneInterface(t *testing.T) {
	cfg := exitConfig()
	cfg.N6, cfg.Allow.Interfaces = cfg.N3, []string{"n6"}
	l := newLab(t, cfg)
	sessions := datapathtest.ExitSessions()
	for _, r := range sessions {
		r.URRs = []session.URR{{ID: 1}}
		r.PDRs[0].URRs, r.PDRs[1].URRs = []uint32{1}, []uint32{1}
	}
	must(t, "Apply", l.dp.Apply(additions(sessions)))
	for _, f := range datapathtest.ExitFrames(t) {
		testFrame(t, l, frame{f.Name, f.Program, f.Frame, f.Verdict, f.Out, f.Reason})
	}
	if u, err := l.dp.Usage(uint64(200+session.IPv4), 1); err != nil || u.Uplink.Packets != 4 || u.Downlink.Packets != 4 {
		t.Errorf("usage %+v, %v, want 4 packets each way", u, err)
	}
}

// TestExitsAreRefused where N6 has no end for them.
func TestExitsAreRefused(t *testing.T) {
	for _, kind := range []session.Encapsulation{session.UDPv4, session.UDPv6, session.IPv4, session.IPv6} {
		if _, err := compile(datapathtest.ExitSession(kind), ends{}); err == nil {
			t.Errorf("%v is compiled", kind)
		}
	}
}

// TestExitsDiffer: octets changed at random, and all lengths, the programs and the forwarder
// agree.
func TestExitsDiffer(t *testing.T) {
	l := newLab(t, exitConfig())
	d := &differential{lab: l, forwarder: forward.New(forward.Config{
		N3Address: l.dp.cfg.N3Address, N6: l.dp.cfg.N6Tunnels, MaxSessions: 1000, UEPools: datapathtest.Pools(),
		Routers: [forward.Directions]forward.Router{forward.Uplink: labRoutes{6}, forward.Downlink: labRoutes{3}},
	})}
	d.forwarder.OnSlow(func(datapath.Slow) {})
	c := additions(datapathtest.ExitSessions())
	must(t, "Apply", d.dp.Apply(c))
	must(t, "Apply to the forwarder", d.forwarder.Apply(c))
	d.before = d.counters(t)
	random := rand.New(rand.NewPCG(5, 6))
	frames := datapathtest.ExitFrames(t)
	for range 4000 {
		f := frames[random.IntN(len(frames))]
		in := bytes.Clone(f.Input(t))
		for range random.IntN(3) {
			in[14+random.IntN(min(len(in)-14, 110))] = byte(random.Uint32())
		}
		way, p := forward.Uplink, d.dp.ports[0]
		if f.Program == "n6" {
			way, p = forward.Downlink, d.dp.ports[1]
		}
		kernel, user := d.inKernel(t, p, in), d.inUserSpace(way, in)
		four := len(user.frame) > 14 && user.frame[12] == 8
		if kernel.verdict != user.verdict || kernel.verdict == "sent" && !sameFrame(four, kernel.frame, user.frame) {
			t.Fatalf("%s: frame %x: the program: %s\n%x, the forwarder: %s\n%x", f.Name, in, kernel.verdict, kernel.frame, user.verdict, user.frame)
		}
	}
}

// TestExitsLive sends the frames through the links.
func TestExitsLive(t *testing.T) {
	l := newLab(t, exitConfig())
	for _, peer := range []string{"n3p", "n6p"} {
		openTap(t, peer) // GRO on
	}
	livetest.Exits(t, l.dp)
}

// TestFramed: networks behind UEs, with the octets that scapy expects.
func TestFramed(t *testing.T) {
	l := newLab(t, labConfig())
	all := datapathtest.FramedSessions()
	must(t, "Apply", l.dp.Apply(additions(all)))
	for _, f := range datapathtest.FramedFrames(t) {
		testFrame(t, l, frame{f.Name, f.Program, f.Frame, f.Verdict, f.Out, f.Reason})
	}
	for _, r := range all {
		must(t, "Apply", l.dp.Apply([]datapath.Change{{Old: r}}))
	}
	for _, f := range datapathtest.FramedFrames(t) {
		if verdict, _ := l.run(t, f.Program, f.Input(t)); verdict == xdpRedirect {
			t.Errorf("%s: forwarded without a session", f.Name)
		}
	}
}
