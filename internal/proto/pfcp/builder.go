package pfcp

import (
	"encoding/binary"
	"net/netip"
)

// Builder writes one message at a time. It keeps its buffer, so that building
// the next one allocates nothing. The zero value is ready to use.
type Builder struct{ b []byte }

// Begin starts a message. Its SEID is written for messages of a session only,
// whatever the header says.
func (m *Builder) Begin(h Header) {
	h.HasSEID = h.Type.OfSession()
	m.b = h.append(m.b[:0])
}

// Bytes ends the message. They are valid until the next Begin.
func (m *Builder) Bytes() []byte {
	binary.BigEndian.PutUint16(m.b[2:], uint16(len(m.b)-lengthFrom))
	return m.b
}

// Open starts an IE whose octets, or IEs, are written next. Close ends it; it
// wants what Open returned.
func (m *Builder) Open(typ uint16) (at int) {
	m.b = append(m.b, byte(typ>>8), byte(typ), 0, 0)
	return len(m.b)
}

// Close ends an IE.
func (m *Builder) Close(at int) {
	binary.BigEndian.PutUint16(m.b[at-2:], uint16(len(m.b)-at))
}

// IE writes a whole IE.
func (m *Builder) IE(typ uint16, value ...byte) {
	at := m.Open(typ)
	m.b = append(m.b, value...)
	m.Close(at)
}

// IE32 writes an IE that is one number of 32 bits.
func (m *Builder) IE32(typ uint16, v uint32) {
	at := m.Open(typ)
	m.Uint32(v)
	m.Close(at)
}

// Octets, Text, Uint32, Uint64 and Addr write into an open IE; an address has 4 or 16 octets.
func (m *Builder) Octets(v ...byte)  { m.b = append(m.b, v...) }
func (m *Builder) Text(s string)     { m.b = append(m.b, s...) }
func (m *Builder) Uint32(v uint32)   { m.b = binary.BigEndian.AppendUint32(m.b, v) }
func (m *Builder) Uint64(v uint64)   { m.b = binary.BigEndian.AppendUint64(m.b, v) }
func (m *Builder) Addr(a netip.Addr) { m.b = appendAddr(m.b, a) }

// appendAddr avoids the allocation of AsSlice.
func appendAddr(b []byte, a netip.Addr) []byte {
	if a.Is4() {
		v := a.As4()
		return append(b, v[:]...)
	}
	v := a.As16()
	return append(b, v[:]...)
}
