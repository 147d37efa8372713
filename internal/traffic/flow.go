// Package traffic describes user-plane traffic: frames, schedules and what is
// expected to arrive. Engines that send and receive it are in its folders.
package traffic

import (
	"cmp"
	"net"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// Flow is the traffic of one direction.
type Flow struct {
	Direction record.Direction
	Shapes    []Shape  // kinds of packet, 1..MaxShapes
	Streams   []Stream // 1..MaxStreams

	Source, Destination net.HardwareAddr // of the frames sent
	GNB, UPF            netip.Addr       // N3, IPv4 or IPv6; the gNB of streams that have none of their own
	DN, DN6             netip.Addr       // of streams whose UE has IPv4, and IPv6
	QFI                 uint8            // of streams that have none of their own
	// DF: packets, and what the gNB sends them in, must not be fragmented (RFC 791). Their
	// identification means nothing then (RFC 6864), and is not compared where they arrive.
	DF     bool
	ECN    ECN // of the inner packets
	Expect Expect
}

// Stream is the share of a flow that one address and one 5-tuple of a UE have. A session of a UE with both
// families has two addresses, and may have several 5-tuples of each. It sends to or from UE.
type Stream struct {
	UE           netip.Addr // IPv4 or IPv6
	UplinkTEID   uint32     // at the UPF
	DownlinkTEID uint32     // at the gNB
	QFI          uint8      // 1..63; 0: the flow's
	GNB          netip.Addr // its N3 address; invalid: the flow's
	SourcePort   uint16     // inner UDP; 0: the shape's
}

// MaxGNBs is how many addresses of gNBs the streams of a flow may have.
const MaxGNBs = 64

// GNBOf is the N3 address of a stream's gNB.
func (f *Flow) GNBOf(s Stream) netip.Addr {
	if s.GNB.IsValid() {
		return s.GNB
	}
	return f.GNB
}

// GNBs are the addresses of the gNBs of all streams, in the order in which they come first.
func (f *Flow) GNBs() (list []netip.Addr) {
	for _, s := range f.Streams {
		if gnb := f.GNBOf(s); !slices.Contains(list, gnb) {
			list = append(list, gnb)
		}
	}
	return list
}

// QFIOf is the QFI of a stream's packets.
func (f *Flow) QFIOf(s Stream) uint8 { return cmp.Or(s.QFI, f.QFI) }

// OneQFI reports whether all streams have the QFI of the flow.
func (f *Flow) OneQFI() bool {
	return !slices.ContainsFunc(f.Streams, func(s Stream) bool { return f.QFIOf(s) != f.QFI })
}

// ECN is the ECN field of an IP header (RFC 3168 clause 5).
type ECN uint8

// The codepoints.
const (
	NotECT ECN = iota
	ECT1
	ECT0
	CE // congestion was experienced
)

// Allows reports whether a packet that was sent with e may arrive with another codepoint: one that can take the mark.
func (e ECN) Allows(arrived ECN) bool { return arrived == e || e != NotECT && arrived == CE }

// SourcePortOf is the inner UDP source port of a stream's packets of a shape.
func (f *Flow) SourcePortOf(s Stream, shape int) uint16 {
	return cmp.Or(s.SourcePort, f.Shapes[shape].SourcePort)
}

// OwnPorts reports whether streams have source ports of their own: all, or none.
func (f *Flow) OwnPorts() bool { return f.Streams[0].SourcePort != 0 }

// Expect says in which form frames are to arrive.
type Expect struct {
	// Encapsulated: as G-PDU. A UPF turns uplink frames into plain ones and
	// downlink frames into G-PDUs; a wire leaves both as they are.
	Encapsulated bool
	// PSC: a PDU session container with QFI must be there (TS 38.415).
	PSC bool
	// Unchanged: the frame is what was sent, whatever the direction (wire).
	Unchanged bool
	MAC       net.HardwareAddr // the receiving port's
}

// Uplink reports whether the flow goes from N3 to N6.
func (f *Flow) Uplink() bool { return f.Direction == record.Uplink }
