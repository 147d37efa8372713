package calibrator

// hop is where frames for a destination go: the Ethernet addresses, destination
// first, and what fits the link.
type hop struct {
	macs [12]byte
	mtu  int
}

// router finds the next hops of destinations that leave by one port.
type router interface {
	// route gives the next hop, or false when there is none. now is ns.
	route(destination [4]byte, now uint64) (hop, bool)
}
