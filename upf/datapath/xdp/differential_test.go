package xdp

import (
	"bytes"
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netns"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/xdp/inject"
)

// differential gives the same frames to the programs and to the forwarder in user
// space, which share no code, and compares verdict, reason and content.
type differential struct {
	*lab
	forwarder *forward.Forwarder
	before    datapath.Counters
	last      string // what became of the last frame
}

// newDifferential has both with gen.py's sessions in gen.py's network. The calling
// thread is in the network namespace until the test ends.
func newDifferential(t testing.TB) *differential {
	t.Helper()
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	f := forward.New(forward.Config{
		N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 1000,
		UEPools: datapathtest.Pools(),
		Routers: [forward.Directions]forward.Router{forward.Uplink: labRoutes{6}, forward.Downlink: labRoutes{3}},
	})
	f.OnSlow(func(datapath.Slow) {})
	must(t, "Apply to the forwarder", f.Apply(additions(frameSessions())))
	d := &differential{lab: l, forwarder: f}
	d.before = d.counters(t)
	return d
}

func (d *differential) counters(t testing.TB) datapath.Counters {
	t.Helper()
	c, err := d.dp.Counters()
	must(t, "Counters", err)
	return c
}

// labRoutes are the routes of buildNetwork, for packets that leave by one interface.
type labRoutes struct{ exit byte }

// Route implements forward.Router as the kernel's FIB answers.
func (r labRoutes) Route(destination netip.Addr, _ uint64) (h forward.Hop, v forward.Verdict) {
	if destination.Is6() {
		return r.route6(destination.As16())
	}
	to := destination.As4()
	side, known := map[[3]byte]byte{{192, 0, 2}: 3, {198, 18, 4}: 4, {198, 51, 100}: 6}[[3]byte(to[:3])]
	switch last := to[3]; {
	case known && last == 1, to == [4]byte{127, 0, 0, 1}:
		return h, forward.Drop(datapath.ReasonToUPF)
	case !known || last == 255: // no route, or broadcast
		return h, forward.Drop(datapath.ReasonNoRoute)
	case side != r.exit:
		return h, forward.Drop(datapath.ReasonEgress)
	case last != 2: // not resolved
		return forward.Hop{MTU: 1500}, forward.Slow
	}
	return forward.Hop{MTU: 1500, MACs: [12]byte{2, 0, 0, 0, side, 2, 2, 0, 0, 0, side, 1}}, forward.Forward
}

func (r labRoutes) route6(to [16]byte) (h forward.Hop, v forward.Verdict) {
	net, host := [8]byte(to[:8]), [8]byte(to[8:])
	side, known := map[[8]byte]byte{{0x20, 1, 0xd, 0xb8, 0, 3}: 3, {0x20, 1, 0xd, 0xb8, 0, 6}: 6}[net]
	switch {
	case known && host == [8]byte{7: 1}, to == [16]byte{15: 1}:
		return h, forward.Drop(datapath.ReasonToUPF)
	case !known, host == [8]byte{}: // or the anycast address of routers
		return h, forward.Drop(datapath.ReasonNoRoute)
	case side != r.exit:
		return h, forward.Drop(datapath.ReasonEgress)
	case host != [8]byte{7: 2}:
		return forward.Hop{MTU: 1500}, forward.Slow
	}
	return forward.Hop{MTU: 1500, MACs: [12]byte{2, 0, 0, 0, side, 2, 2, 0, 0, 0, side, 1}}, forward.Forward
}

// result is what became of a frame.
type result struct {
	verdict string
	frame   []byte // when it was sent
}

// compare gives a frame to both and returns how they differ, "" when they do not.
func (d *differential) compare(t testing.TB, n6 bool, frame []byte) string {
	t.Helper()
	p, way := d.dp.ports[0], forward.Uplink
	if n6 {
		p, way = d.dp.ports[1], forward.Downlink
	}
	before := [2]datapath.Direction{d.before.Accepted, d.forwarder.Counters().Accepted}
	kernel, user := d.inKernel(t, p, frame), result{verdict: "passed"}
	if bytes.Equal(frame[:6], []byte{2, 0, 0, 0, 3 + 3*byte(way), 1}) { // the forwarder gets no others
		user = d.inUserSpace(way, frame)
	}
	d.last = kernel.verdict
	now := [2]datapath.Direction{d.before.Accepted, d.forwarder.Counters().Accepted}
	switch {
	case now[0].Packets-before[0].Packets != now[1].Packets-before[1].Packets, now[0].Bytes-before[0].Bytes != now[1].Bytes-before[1].Bytes:
		return fmt.Sprintf("the program had accepted %+v and has %+v, the forwarder %+v and %+v", before[0], now[0], before[1], now[1])
	case kernel.verdict != user.verdict:
		return fmt.Sprintf("the program: %s, the forwarder: %s", kernel.verdict, user.verdict)
	case kernel.verdict == "sent" && !sameFrame(n6, kernel.frame, user.frame):
		return fmt.Sprintf("the program sends\n%x, the forwarder\n%x", kernel.frame, user.frame)
	}
	return ""
}

// compareHere is compare on a thread that need not be in the namespace yet.
func (d *differential) compareHere(t testing.TB, n6 bool, frame []byte) string {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home, err := netns.Get()
	must(t, "find the own namespace", err)
	defer home.Close()
	must(t, "enter the namespace", netns.Set(d.ns))
	diff := d.compare(t, n6, frame)
	must(t, "go home", netns.Set(home))
	return diff
}

func (d *differential) inKernel(t testing.TB, p port, frame []byte) result {
	t.Helper()
	opts := ebpf.RunOptions{
		Data: frame, DataOut: make([]byte, len(frame)+256),
		Context: inject.Context{DataEnd: uint32(len(frame)), IngressIfindex: uint32(p.index)},
	}
	verdict, err := p.program.Run(&opts)
	must(t, "run", err)
	after := d.counters(t)
	reason, dropped := newDrop(d.before, after)
	forwarded := after.Uplink.Packets+after.Downlink.Packets > d.before.Uplink.Packets+d.before.Downlink.Packets
	d.before = after
	switch {
	case !dropped && forwarded && verdict != xdpRedirect:
		return result{verdict: "slow"}
	case !dropped && verdict == xdpRedirect:
		return result{"sent", opts.DataOut}
	case !dropped && verdict == xdpPass:
		return result{verdict: "passed"}
	case !dropped:
		return result{verdict: fmt.Sprintf("verdict %d, nothing counted", verdict)}
	}
	return result{verdict: outcomeOf(reason)}
}

// newDrop finds the reason that was counted.
func newDrop(before, after datapath.Counters) (datapath.Reason, bool) {
	for reason, n := range after.Drops {
		if n != before.Drops[reason] {
			return reason, true
		}
	}
	return 0, false
}

// outcomeOf names a drop. What a program drops because the kernel would route it,
// or because there is too much of it, is the kernel's to the forwarder, which sees
// a copy and has no clock.
func outcomeOf(reason datapath.Reason) string {
	switch reason {
	case datapath.ReasonNoTunnel, datapath.ReasonPFCP, datapath.ReasonFlood:
		return "passed"
	}
	return "dropped: " + reason.String()
}

func (d *differential) inUserSpace(way forward.Direction, frame []byte) result {
	decision := d.forwarder.Decide(way, frame, 1)
	switch decision.Verdict {
	case forward.Forward:
		out, _ := d.forwarder.Write(make([]byte, 0, decision.Bytes), &decision)
		return result{"sent", out}
	case forward.Pass:
		return result{verdict: "passed"}
	case forward.Slow:
		return result{verdict: "slow"}
	}
	reason, _ := decision.Verdict.Reason()
	return result{verdict: outcomeOf(reason)}
}

// sameFrame compares what is sent, but for the padding after the packet, which only
// programs pass on, and the outer identification, which counts packets. The outer
// checksum is right in both.
func sameFrame(n6 bool, kernel, user []byte) bool {
	if len(kernel) < len(user) {
		return false
	}
	a, b := bytes.Clone(kernel[:len(user)]), bytes.Clone(user)
	if n6 {
		if onesSum(a[14:34]) != 0xffff || onesSum(b[14:34]) != 0xffff {
			return false
		}
		for _, at := range []int{18, 24} {
			clear(a[at : at+2])
			clear(b[at : at+2])
		}
	}
	return bytes.Equal(a, b)
}

// TestDifferentialFrames is the corpus by itself.
func TestDifferentialFrames(t *testing.T) {
	d := newDifferential(t)
	for _, c := range readFrames(t) {
		if diff := d.compare(t, c.Program == "n6", octets(t, c.Frame)); diff != "" {
			t.Errorf("%s: %s", c.Name, diff)
		}
	}
}
