package forward

import "net/netip"

// Hop is where frames for a destination go.
type Hop struct {
	MACs [12]byte // Ethernet addresses, the destination's first
	MTU  int      // octets of an IP packet
}

// Router finds the next hops of destinations that leave by one port.
type Router interface {
	// Route gives the next hop, with Forward, or what becomes of the packet without
	// one: Drop of ReasonNoRoute, of ReasonToUPF (it is the machine's own address) or
	// of ReasonEgress (it leaves by another port), or Pass where the kernel takes
	// care of it.
	// now is the caller's clock, ns.
	Route(destination netip.Addr, now uint64) (Hop, Verdict)
}
