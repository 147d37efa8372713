package smf

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// The IE types of TS 29.244 table 8.1.2-1 that are written here.
const (
	ieCreatePDR            = 1
	iePDI                  = 2
	ieCreateFAR            = 3
	ieForwardingParameters = 4
	ieCreateURR            = 6
	ieCreateQER            = 7
	ieUpdateFAR            = 10
	ieUpdateForwarding     = 11
	ieCause                = 19
	ieSourceInterface      = 20
	ieFTEID                = 21
	ieNetworkInstance      = 22
	ieGateStatus           = 25
	ieMBR                  = 26
	iePrecedence           = 29
	ieReportingTriggers    = 37
	ieDestinationInterface = 42
	ieApplyAction          = 44
	ieSMReqFlags           = 49
	iePDRID                = 56
	ieFSEID                = 57
	ieNodeID               = 60
	ieMeasurementMethod    = 62
	ieMeasurementPeriod    = 64
	ieURRID                = 81
	ieOuterHeaderCreation  = 84
	ieCPFeatures           = 89
	ieUEIPAddress          = 93
	ieOuterHeaderRemoval   = 95
	ieRecoveryTimeStamp    = 96
	ieFARID                = 108
	ieQERID                = 109
	iePDNType              = 113
	ieQFI                  = 124
	ieInterfaceType        = 160
)

// builder writes one PFCP message. It keeps its buffer from one message to the
// next, so that building costs no allocation.
type builder struct{ b []byte }

// node begins a node related message (clause 7.2.2.2).
func (m *builder) node(typ uint8, seq uint32) {
	m.b = append(m.b[:0], pfcpVersion<<5, typ, 0, 0)
	m.u32(seq << 8)
}

// session begins a session related message to the peer's SEID (clause 7.2.2.3).
func (m *builder) session(typ uint8, seid uint64, seq uint32) {
	m.b = append(m.b[:0], pfcpVersion<<5|flagSEID, typ, 0, 0)
	m.u64(seid)
	m.u32(seq << 8)
}

// bytes ends the message. They are valid until the next message begins.
func (m *builder) bytes() []byte {
	binary.BigEndian.PutUint16(m.b[2:], uint16(len(m.b)-4))
	return m.b
}

func (m *builder) u32(v uint32) { m.b = binary.BigEndian.AppendUint32(m.b, v) }
func (m *builder) u64(v uint64) { m.b = binary.BigEndian.AppendUint64(m.b, v) }

// addr writes the 4 or 16 octets of an address.
func (m *builder) addr(a netip.Addr) {
	if a.Is4() {
		v := a.As4()
		m.b = append(m.b, v[:]...)
		return
	}
	v := a.As16()
	m.b = append(m.b, v[:]...)
}

// open begins an IE, or a group of them, whose length close fills in.
func (m *builder) open(typ uint16) (at int) {
	m.b = append(m.b, byte(typ>>8), byte(typ), 0, 0)
	return len(m.b)
}

func (m *builder) close(at int) {
	binary.BigEndian.PutUint16(m.b[at-2:], uint16(len(m.b)-at))
}

// ie writes an IE with the octets given.
func (m *builder) ie(typ uint16, value ...byte) {
	at := m.open(typ)
	m.b = append(m.b, value...)
	m.close(at)
}

func (m *builder) ie32(typ uint16, v uint32) {
	at := m.open(typ)
	m.u32(v)
	m.close(at)
}

// family picks the value that stands for the address family of a.
func family(a netip.Addr, v4, v6 byte) byte {
	if a.Is6() {
		return v6
	}
	return v4
}

func (m *builder) nodeID(a netip.Addr) {
	at := m.open(ieNodeID)
	m.b = append(m.b, family(a, 0, 1))
	m.addr(a)
	m.close(at)
}

func (m *builder) fseid(seid uint64, a netip.Addr) {
	at := m.open(ieFSEID)
	m.b = append(m.b, family(a, 0x02, 0x01))
	m.u64(seid)
	m.addr(a)
	m.close(at)
}

// recovery writes a Recovery Time Stamp: seconds since 1900 (clause 8.2.65).
func (m *builder) recovery(t time.Time) {
	const from1900to1970 = 2208988800
	m.ie32(ieRecoveryTimeStamp, uint32(t.Unix()+from1900to1970))
}
