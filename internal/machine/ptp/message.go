// Package ptp asks linuxptp's ptp4l for the state of this host's clock, by the management messages
// of IEEE 1588-2008 clause 15 over its UNIX socket, as its own program pmc does.
package ptp

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

// The identifiers of what is asked: managementId of IEEE 1588-2008 table 40, and TIME_STATUS_NP
// of linuxptp.
const (
	currentDataSet = 0x2001
	portDataSet    = 0x2004
	timeStatusNP   = 0xc000
)

// Where the fields of a management message are: clauses 13.3, 15.4 and 15.5.
const (
	management   = 0x0d // messageType
	controlField = 0x04
	headerLen    = 34
	tlvAt        = headerLen + 14
	dataAt       = tlvAt + 6
	get          = 0 // actionField
	response     = 2
	tlvType      = 1 // MANAGEMENT
)

// domain is whom a message is for: an instance of PTP answers its own only.
type domain struct {
	specific byte // transportSpecific: 1 in IEEE 802.1AS
	number   byte // domainNumber
}

// question is a message that asks all ports of the instance for something.
func question(d domain, id, sequence uint16) []byte {
	b := make([]byte, dataAt)
	b[0], b[1], b[4] = d.specific<<4|management, 2, d.number
	binary.BigEndian.PutUint16(b[2:], dataAt)
	binary.BigEndian.PutUint16(b[28:], 1) // portNumber of who asks
	binary.BigEndian.PutUint16(b[30:], sequence)
	b[32], b[33] = controlField, 0x7f
	for i := range 10 { // targetPortIdentity: all
		b[headerLen+i] = 0xff
	}
	b[46] = get
	binary.BigEndian.PutUint16(b[tlvAt:], tlvType)
	binary.BigEndian.PutUint16(b[tlvAt+2:], 2)
	binary.BigEndian.PutUint16(b[tlvAt+4:], id)
	return b
}

var errNoAnswer = errors.New("not an answer to that question")

// answer gives the data of an answer.
func answer(b []byte, id, sequence uint16) (data []byte, err error) {
	if len(b) < dataAt || b[0]&0xf != management || b[46]&0xf != response || binary.BigEndian.Uint16(b[30:]) != sequence ||
		binary.BigEndian.Uint16(b[tlvAt:]) != tlvType || binary.BigEndian.Uint16(b[tlvAt+4:]) != id {
		return nil, errNoAnswer
	}
	length := int(binary.BigEndian.Uint16(b[tlvAt+2:])) - 2
	if length < 0 || dataAt+length > len(b) {
		return nil, fmt.Errorf("an answer of ptp4l of %d octets is cut short", len(b))
	}
	return b[dataAt : dataAt+length], nil
}

var errShort = errors.New("an answer of ptp4l has too little in it")

// current reads CURRENT_DATA_SET, clause 15.5.3.4.1. Times there are in 2^-16 ns.
func (s *State) current(d []byte) error {
	if len(d) < 18 {
		return errShort
	}
	s.Steps = int(binary.BigEndian.Uint16(d))
	s.OffsetNS = int64(binary.BigEndian.Uint64(d[2:])) >> 16
	s.PathDelayNS = int64(binary.BigEndian.Uint64(d[10:])) >> 16
	return nil
}

// portStates are those of clause 8.2.5.3.1, table 8.
var portStates = [...]string{1: "INITIALIZING", "FAULTY", "DISABLED", "LISTENING", "PRE_MASTER", "MASTER", "PASSIVE",
	"UNCALIBRATED", "SLAVE"}

// port reads PORT_DATA_SET, clause 15.5.3.7.1, of one port.
func (s *State) port(d []byte) error {
	if len(d) < 11 {
		return errShort
	}
	name := fmt.Sprintf("state %d", d[10])
	if n := int(d[10]); n > 0 && n < len(portStates) {
		name = portStates[n]
	}
	s.Ports = append(s.Ports, name)
	return nil
}

// status reads TIME_STATUS_NP of linuxptp (tlv.h, struct time_status_np).
func (s *State) status(d []byte) error {
	if len(d) < 50 {
		return errShort
	}
	s.Followed = binary.BigEndian.Uint32(d[38:]) != 0
	id := hex.EncodeToString(d[42:50])
	s.Grandmaster = id[:6] + "." + id[6:10] + "." + id[10:]
	return nil
}
