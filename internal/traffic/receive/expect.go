package receive

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// expectation is what is to arrive.
type expectation struct {
	mac          [6]byte
	encapsulated bool
	upf, gnb     [4]byte // the outer addresses
	gnbs         bool    // streams differ in their gNB
	fromGNB      bool    // the G-PDU is still the gNB's
	uplink       bool    // the UE is the source of the inner packet
	peer         [4]byte
	fragment     uint16 // of the inner IP header; not 0: DF, with any identification
	psc          bool
	pscType, qfi uint8 // TS 38.415 clause 5.5.2: type 0 downlink, 1 uplink
	qfis         bool  // streams differ in their QFI
	streams      []stream
	shapes       []shape
}

// stream is one session, as it is to arrive.
type stream struct {
	ue   [4]byte
	teid uint32
	qfi  uint8
	gnb  [4]byte
}

func expect(f *traffic.Flow) expectation {
	e := expectation{
		mac: [6]byte(f.Expect.MAC), encapsulated: f.Expect.Encapsulated, uplink: f.Uplink(), peer: f.DN.As4(),
		psc: f.Expect.PSC || f.Expect.Unchanged, qfi: f.QFI, qfis: !f.OneQFI(),
		upf: f.UPF.As4(), gnb: f.GNBs()[0].As4(), gnbs: len(f.GNBs()) > 1, fragment: f.Fragment(), fromGNB: f.Expect.Unchanged && f.Uplink(),
	}
	if e.fromGNB {
		e.pscType = 1
	}
	for _, s := range f.Streams {
		teid := s.DownlinkTEID
		if e.fromGNB {
			teid = s.UplinkTEID
		}
		e.streams = append(e.streams, stream{ue: s.UE.As4(), teid: teid, qfi: f.QFIOf(s), gnb: f.GNBOf(s).As4()})
	}
	e.shapes = shapesOf(f)
	return e
}

// checkInner compares the inner IP and UDP headers with the stream's and the
// shape's.
func (e *expectation) checkInner(f *frame, s *stream, k *shape, sig *signature.Signature) {
	in := f.data[f.inner:]
	source, destination := e.peer, s.ue
	if e.uplink {
		source, destination = destination, source
	}
	switch {
	case int(binary.BigEndian.Uint16(in[2:])) != k.ipBytes, in[1] != 0,
		e.fragment == 0 && binary.BigEndian.Uint16(in[4:]) != 1, binary.BigEndian.Uint16(in[6:]) != e.fragment,
		in[8] > 64, in[8] < 60, !rightChecksum(in):
		f.fault(wrongInnerIP)
	case [4]byte(in[12:]) != source, [4]byte(in[16:]) != destination:
		f.fault(wrongInnerAddress)
	}
	udp := in[ipBytes:]
	if binary.BigEndian.Uint16(udp) != k.sourcePort || binary.BigEndian.Uint16(udp[2:]) != k.destinationPort ||
		int(binary.BigEndian.Uint16(udp[4:])) != k.udpBytes {
		f.fault(wrongInnerUDP)
	}
	if len(in) != k.ipBytes {
		f.fault(wrongPayload) // cut short, or with something behind it
	}
	if binary.LittleEndian.Uint16(udp[6:]) != k.checksum(source, destination, sig) {
		f.fault(wrongChecksum)
	}
}
