package packet

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/gtpu"
)

// Outer is how a packet is sent on N3.
type Outer struct {
	From, To         netip.Addr // gNB and UPF
	FromPort, ToPort uint16     // 0: 2152
	TEID             uint32
	QFI              uint8
	NoContainer      bool // no PDU session container
	// Container is the PDU session container from its length on, but for the octet that names the next extension header;
	// nil: one of four octets with the QFI (TS 38.415 clause 5.5.2).
	Container []byte
	// Sequence and NPDU set the flags S and PN.
	Sequence, NPDU bool
	// Before are extension headers that precede the container, each with its type
	// first: {0x20, 1, 0, 0} for one of four octets. The octet that names the next
	// one is left out.
	Before [][]byte
	TOS    uint8
	// Fragments is how many fragments it is sent in, 0 for one whole packet; Swapped: the last comes first.
	Fragments int
	Swapped   bool
	// Short makes the length field of GTP-U claim that many octets more than there are.
	Short int
	// Downlink makes the container that of downlink packets, as on N9 towards a gNB.
	Downlink bool
	// Break spoils the GTP-U message, whose first octet is its flags; nil: it is sound.
	Break func(message []byte) []byte
	// UDPShort makes the length field of UDP claim that many octets fewer than there are.
	UDPShort int
}

// Encapsulate gives the IP packet that carries a T-PDU to the UPF.
func (o Outer) Encapsulate(tpdu []byte) []byte {
	message := o.header(tpdu)
	if o.Break != nil {
		message = o.Break(message)
	}
	return o.Carry(message)
}

// Carry gives the IP packet that carries a GTP-U message.
func (o Outer) Carry(message []byte) []byte {
	udp := datagram(o.From, o.To, port(o.FromPort), port(o.ToPort), message)
	binary.BigEndian.PutUint16(udp[4:], uint16(8+len(message)-o.UDPShort))
	return network(o.From, o.To, UDP, o.TOS, udp)
}

func port(p uint16) uint16 {
	if p == 0 {
		return gtpu.Port
	}
	return p
}

const (
	flagE, flagS, flagPN = 4, 2, 1
	container            = 0x85
)

// containerType is the first octet of the PDU session container's content (TS 38.415
// clause 5.5.2): the PDU type, and spare or absent fields.
func (o *Outer) containerType() byte {
	if o.Downlink {
		return 0
	}
	return 0x10
}

// header writes the GTP-U header before a T-PDU.
func (o *Outer) header(tpdu []byte) []byte {
	var flags byte
	if o.Sequence {
		flags |= flagS
	}
	if o.NPDU {
		flags |= flagPN
	}
	list := o.Before
	if !o.NoContainer {
		content := o.Container
		if content == nil {
			content = []byte{1, o.containerType(), o.QFI & 0x3f}
		}
		list = append(list[:len(list):len(list)], append([]byte{container}, content...))
	}
	if len(list) > 0 {
		flags |= flagE
	}
	var optional []byte
	if flags != 0 {
		optional = []byte{0, 0, 0}
		if o.Sequence {
			optional[1] = 1
		}
		for _, x := range list {
			optional = append(optional, x...)
		}
		optional = append(optional, 0)
	}
	b := []byte{0x30 | flags, byte(gtpu.GPDU), 0, 0}
	binary.BigEndian.PutUint16(b[2:], uint16(len(optional)+len(tpdu)+o.Short))
	b = binary.BigEndian.AppendUint32(b, o.TEID)
	return append(append(b, optional...), tpdu...)
}
