package offload

import "net/netip"

// Batch is G-PDUs to one peer that are handed over as one: UDP payloads of one size but the
// last, which may be shorter. The zero value takes none: Start one.
type Batch struct {
	// Peer is the other end of the tunnels, and Marking the outer header's type of service.
	Peer    netip.Addr
	Marking uint8
	// Size is that of each but the last, Octets of all, Parts how many there are.
	Size, Octets, Parts int

	closed bool
}

// BatchMax is how many G-PDUs a batch has at most: the least that a kernel cuts
// (UDP_MAX_SEGMENTS).
const BatchMax = 64

// batchOctets is what an IP packet holds at most, less its headers.
const batchOctets = 65535 - 48

// Start begins a batch with a G-PDU of size octets.
func (t *Batch) Start(peer netip.Addr, marking uint8, size int) {
	*t = Batch{Peer: peer, Marking: marking, Size: size, Octets: size, Parts: 1}
}

// Join adds a G-PDU of size octets for the batch's peer; false: it does not fit.
func (t *Batch) Join(marking uint8, size int) bool {
	if t.closed || t.Marking != marking || size > t.Size || t.Parts >= BatchMax || t.Octets+size > batchOctets {
		return false
	}
	t.Parts++
	t.Octets += size
	t.closed = size < t.Size
	return true
}
