package gtpu

// PDUType is the type of a PDU session container (TS 38.415 clause 5.5.3.1).
type PDUType uint8

// The types.
const (
	DownlinkInformation PDUType = 0 // DL PDU SESSION INFORMATION
	UplinkInformation   PDUType = 1 // UL PDU SESSION INFORMATION
)

// Container is the PDU session container (TS 38.415 clause 5.5.2), as far as
// every type has it: the optional delay and sequence fields are skipped.
type Container struct {
	Type PDUType
	QFI  uint8 // QoS flow identifier, 0..63
	// RQI is the reflective QoS indicator; downlink only.
	RQI bool
}

const pscLen = 4 // length, two octets of container, next type

func parseContainer(b []byte) (Container, error) {
	if len(b) < 2 {
		return Container{}, ErrTruncated
	}
	c := Container{Type: PDUType(b[0] >> 4), QFI: b[1] & 0x3f}
	c.RQI = c.Type == DownlinkInformation && b[1]&0x40 != 0
	return c, nil
}

// MarkContainer sets the QFI in the content of a container as Header.ContainerOctets has it, and,
// where rqi, which is of a downlink one, its RQI. The rest stays.
func MarkContainer(content []byte, qfi uint8, rqi bool) {
	content[1] = content[1]&^0x3f | qfi&0x3f
	if rqi {
		content[1] |= 0x40
	}
}

// Flags in the first octet of the content of a downlink container: fields that follow (TS 38.415
// clause 5.5.2.1).
const (
	flagQMP   = 1 << 3 // a time stamp of eight octets,
	flagSNP   = 1 << 2 // a sequence number of three,
	flagMSNP  = 1 << 1 // and one of four
	flagSpare = 1 << 0
)

// In the second: there is a Paging Policy Indicator, in the high three bits of the third.
const (
	flagPPP  = 1 << 7
	ppiShift = 5
)

// WithPPI is the content of a downlink container with a Paging Policy Indicator, 0..7.
func (c Container) WithPPI(ppi uint8) [6]byte {
	first, second := c.octets()
	return [6]byte{first, second | flagPPP, ppi << ppiShift}
}

// WithPPI gives the content of a container, as Header.ContainerOctets has it, the Paging Policy
// Indicator: in place where it has one, in front of its other fields else. A container that is not of
// downlink packets, or would have over most octets, stays as it is.
func WithPPI(content []byte, ppi uint8, most int) []byte {
	if PDUType(content[0]>>4) != DownlinkInformation || len(content) < 6 || len(content)+4 > most {
		return content
	}
	if content[1]&flagPPP != 0 {
		content[2] = ppi << ppiShift
		return content
	}
	size := len(content)
	if content[0]&flagSpare != 0 || usedOctets(content[0])+1 > size {
		size += 4
	}
	with := append(make([]byte, 0, size), content[0], content[1]|flagPPP, ppi<<ppiShift)
	with = append(with, content[2:min(len(content), size-1)]...)
	return with[:size]
}

// usedOctets are those of a downlink container's content without its padding.
func usedOctets(first byte) int {
	n := 2
	if first&flagQMP != 0 {
		n += 8
	}
	if first&flagSNP != 0 {
		n += 3
	}
	if first&flagMSNP != 0 {
		n += 4
	}
	return n
}

func (c Container) octets() (first, second byte) {
	second = c.QFI & 0x3f
	if c.RQI && c.Type == DownlinkInformation {
		second |= 0x40
	}
	return byte(c.Type) << 4, second
}
