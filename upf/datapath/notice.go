package datapath

// Notice is an IPv6 packet that was dropped and that a router has to answer, or a downlink
// IPv4 packet with DF that does not fit its tunnel.
type Notice struct {
	SEID   uint64
	Uplink bool
	// MTU is that of the way that the packet does not fit, octets of the T-PDU; 0: it is a
	// packet of the UE's own link.
	MTU int
	// Packet may be cut where it does not fit.
	Packet []byte
}

// Noticer is a datapath that hands such packets on. Others drop them.
type Noticer interface {
	// OnNotice has f called for each. f must not block, not call the datapath, and not keep
	// the packet. It is called before the first Apply.
	OnNotice(f func(Notice))
}
