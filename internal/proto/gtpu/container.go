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

func (c Container) octets() (first, second byte) {
	second = c.QFI & 0x3f
	if c.RQI && c.Type == DownlinkInformation {
		second |= 0x40
	}
	return byte(c.Type) << 4, second
}
