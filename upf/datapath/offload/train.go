package offload

import "net/netip"

// Train is G-PDUs to one peer that are handed over as one: UDP payloads of one size but the
// last, which may be shorter. The zero value takes none: Start one.
type Train struct {
	// Peer is the other end of the tunnels, and Marking the outer header's type of service.
	Peer    netip.Addr
	Marking uint8
	// Size is that of each but the last, Octets of all, Parts how many there are.
	Size, Octets, Parts int

	closed bool
}

// TrainMax is how many G-PDUs a train has at most: the least that a kernel cuts
// (UDP_MAX_SEGMENTS).
const TrainMax = 64

// trainOctets is what an IP packet holds at most, less its headers.
const trainOctets = 65535 - 48

// Start begins a train with a G-PDU of size octets.
func (t *Train) Start(peer netip.Addr, marking uint8, size int) {
	*t = Train{Peer: peer, Marking: marking, Size: size, Octets: size, Parts: 1}
}

// Join adds a G-PDU of size octets for the train's peer; false: it does not fit.
func (t *Train) Join(marking uint8, size int) bool {
	if t.closed || t.Marking != marking || size > t.Size || t.Parts >= TrainMax || t.Octets+size > trainOctets {
		return false
	}
	t.Parts++
	t.Octets += size
	t.closed = size < t.Size
	return true
}
