package datapath

import (
	"net"
	"net/netip"
)

// Worker is what one worker of a datapath has done, packets since it was opened: a thread in
// user space, or a CPU that packets are spread among. Received and Sent count both directions; what was neither sent nor lost
// was dropped by the rules, or is another's.
type Worker struct {
	Received, Sent uint64
	// Joined of the packets went into a TUN or TAP device, or came out of it, with others
	// as one.
	Joined uint64
	// Lost were to be sent and refused by the kernel.
	Lost uint64
	// Missed found no room where the worker reads, as far as the datapath knows.
	Missed uint64
	// Batches is how often the worker had something to do.
	Batches uint64
}

// Staffed is a Datapath with workers, or perhaps: none are listed then. Workers may be called
// from any goroutine.
type Staffed interface{ Workers() []Worker }

// Remarking is a Datapath that goes on without something that makes it quicker, where that
// cannot be had. Remarks are, for people, what it does instead, and why; they stay the same.
type Remarking interface{ Remarks() []error }

// Port is a Datapath that has N3's UDP port itself. Signalling is a socket there for
// GTP-U that is not a G-PDU; the datapath closes it.
type Port interface{ Signalling() net.PacketConn }

// Port6 is a Port that may have N3's IPv6 port, too. Signalling6 is nil where it has not.
type Port6 interface{ Signalling6() net.PacketConn }

// Delivering is a Datapath that receives GTP-U which somebody else has to answer:
// G-PDUs for no tunnel, and signalling. Deliver says who; it is called once, before any
// Apply. to must not block nor keep the message.
type Delivering interface {
	Deliver(to func(message []byte, from netip.AddrPort))
}
