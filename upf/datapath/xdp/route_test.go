package xdp

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
)

// TestUnresolvedBigHasDF: whether a packet fits is known before its next hop is resolved.
func TestUnresolvedBigHasDF(t *testing.T) {
	l := newLab(t, labConfig())
	slow, notices := slowPackets(l.dp), make(chan datapath.Notice, 1)
	l.dp.OnNotice(func(n datapath.Notice) { notices <- n })
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	frame := slowFrame(t, "downlink")
	copy(frame[30:34], []byte{10, 45, 0, 8}) // its gNB is not resolved
	frame[20] |= 0x40
	renew(frame, 14)
	l.run(t, "n6", frame)
	if n := next(t, "a packet with DF", notices); n.MTU != 1500-36 {
		t.Errorf("MTU %d, want %d", n.MTU, 1500-36)
	}
	if len(slow) > 0 {
		t.Error("the packet is left to the kernel, too")
	}
}

// TestRouteIsKept: a packet whose destination has no route leaves the next hop of another destination in
// the cache, whose place it would have.
func TestRouteIsKept(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	in, _ := liveFrame(t, "n3 psc")
	const ip = 14 + 20 + 8 + 8 + 8 // of the T-PDU
	known := [4]byte(in[ip+16:])
	place := func(a [4]byte) uint32 { return binary.NativeEndian.Uint32(a[:]) * 0x9e3779b1 >> 22 } // route_hash
	if verdict, _ := l.run(t, "n3", in); verdict != xdpRedirect {
		t.Fatalf("verdict %d", verdict)
	}
	other := known
	for n := uint16(0); ; n++ { // there is no default route
		other = [4]byte{100, 64, byte(n >> 8), byte(n)}
		if place(other) == place(known) {
			break
		}
	}
	copy(in[ip+16:], other[:])
	renew(in, ip)
	if verdict, _ := l.run(t, "n3", in); verdict != xdpDrop {
		t.Fatalf("verdict %d on a packet to %v", verdict, netip.AddrFrom4(other))
	}
	var routes []upfRoute
	must(t, "read the cache", l.dp.objects.Routes.Lookup(place(known), &routes))
	if !slices.ContainsFunc(routes, func(r upfRoute) bool {
		return r.Destination == binary.NativeEndian.Uint32(known[:]) && r.Generation != 0
	}) {
		t.Errorf("the cache has %+v, want the next hop of %v", routes, netip.AddrFrom4(known))
	}
}
