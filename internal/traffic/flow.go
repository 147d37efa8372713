// Package traffic describes user-plane traffic: frames, schedules and what is
// expected to arrive. Engines that send and receive it are in its folders.
package traffic

import (
	"net"
	"net/netip"

	"github.com/upflab/upflab/internal/scenario"
)

// SignatureBytes is the part of every UDP payload that identifies a frame:
// magic, trial, stream, sequence number, intended and actual send time.
const SignatureBytes = 32

// Fill is every other byte of the payload.
const Fill = 'x'

// Flow is the traffic of one direction.
type Flow struct {
	Direction scenario.Direction
	Payload   int // bytes of UDP payload, SignatureBytes..8900
	Streams   []Stream

	Source, Destination         net.HardwareAddr // of the frames sent
	GNB, UPF                    netip.Addr       // N3
	DN                          netip.Addr
	QFI                         uint8
	SourcePort, DestinationPort uint16 // inner UDP
	Expect                      Expect
}

// Stream is one session's share of a flow. It sends to or from UE.
type Stream struct {
	UE           netip.Addr
	UplinkTEID   uint32 // at the UPF
	DownlinkTEID uint32 // at the gNB
}

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
func (f *Flow) Uplink() bool { return f.Direction == scenario.Uplink }

// Header lengths in bytes.
const (
	ethernetBytes = 14
	ipBytes       = 20
	udpBytes      = 8
	gtpBytes      = 8 + 4 + 4 // header, optional fields, PDU session container
)

// TunnelBytes is what a G-PDU with a PDU session container adds to a packet.
const TunnelBytes = ipBytes + udpBytes + gtpBytes

// InnerBytes is the length of the inner IP packet.
func (f *Flow) InnerBytes() int { return ipBytes + udpBytes + f.Payload }

// FrameBytes is the length of a frame as sent, from the Ethernet header on,
// without FCS.
func (f *Flow) FrameBytes() int { return f.frameBytes(f.Uplink(), true) }

// RxFrameBytes is the length of a frame as it is to arrive.
func (f *Flow) RxFrameBytes() int {
	return f.frameBytes(f.Expect.Encapsulated, f.Expect.PSC || f.Expect.Unchanged)
}

func (f *Flow) frameBytes(encapsulated, psc bool) int {
	n := ethernetBytes + f.InnerBytes()
	switch {
	case encapsulated && psc:
		return n + TunnelBytes
	case encapsulated:
		return n + ipBytes + udpBytes + 8
	}
	return n
}
