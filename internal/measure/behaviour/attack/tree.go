package attack

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// message is a PFCP message as a tree that can be changed.
type message struct {
	header [16]byte // its first octets; those of a node message are 8
	seid   bool
	ies    []*element
	// lie is added to the length field of the header.
	lie int
	// tail follows the message.
	tail []byte
}

// element is an IE.
type element struct {
	typ   uint16
	value []byte     // of one that is not grouped
	inner []*element // of one that is
	lie   int        // is added to its length field
}

// parse reads a valid message. The slices are b's.
func parse(b []byte) (*message, error) {
	h, ies, _, err := pfcp.Parse(b)
	if err != nil {
		return nil, err
	}
	m := &message{seid: h.HasSEID, ies: elements(ies)}
	copy(m.header[:m.size()], b)
	return m, nil
}

func (m *message) size() int {
	if m.seid {
		return 16
	}
	return 8
}

// elements reads IEs; what does not fit is left out.
func elements(b []byte) (list []*element) {
	for len(b) >= 4 {
		e := &element{typ: binary.BigEndian.Uint16(b)}
		end := 4 + int(binary.BigEndian.Uint16(b[2:]))
		if end > len(b) {
			return list
		}
		if e.value = b[4:end:end]; pfcp.Grouped(e.typ) {
			e.inner, e.value = elements(e.value), nil
		}
		list, b = append(list, e), b[end:]
	}
	return list
}

// bytes writes the message, with the lengths that it has but for the lies.
func (m *message) bytes() []byte {
	b := append(make([]byte, 0, 512), m.header[:m.size()]...)
	for _, e := range m.ies {
		b = e.append(b)
	}
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)-4+m.lie))
	return append(b, m.tail...)
}

func (e *element) append(b []byte) []byte {
	at := len(b)
	b = binary.BigEndian.AppendUint16(b, e.typ)
	b = append(append(b, 0, 0), e.value...)
	for _, child := range e.inner {
		b = child.append(b)
	}
	binary.BigEndian.PutUint16(b[at+2:], uint16(len(b)-at-4+e.lie))
	return b
}

// setSequence gives it a sequence number.
func (m *message) setSequence(n uint32) {
	at := m.size() - 4
	m.header[at], m.header[at+1], m.header[at+2] = byte(n>>16), byte(n>>8), byte(n)
}

// clone copies all but the values.
func (m *message) clone() *message {
	c := *m
	c.ies = cloneAll(m.ies)
	return &c
}

func cloneAll(list []*element) []*element {
	if list == nil {
		return nil
	}
	copies := make([]*element, len(list))
	for i, e := range list {
		c := *e
		c.inner = cloneAll(e.inner)
		copies[i] = &c
	}
	return copies
}

// walk visits the lists of IEs of the message: its own and those of its groups.
func (m *message) walk(visit func(list *[]*element)) { walkAll(&m.ies, visit) }

func walkAll(list *[]*element, visit func(*[]*element)) {
	visit(list)
	for _, e := range *list {
		if len(e.inner) > 0 {
			walkAll(&e.inner, visit)
		}
	}
}

// find gives the IE at the end of a path of types, the n-th (from 0) of the first type.
func (m *message) find(nth int, path ...uint16) *element {
	list := m.ies
	var found *element
	for depth, typ := range path {
		found = nil
		left := nth
		for _, e := range list {
			if e.typ != typ {
				continue
			}
			if depth > 0 || left == 0 {
				found = e
				break
			}
			left--
		}
		if found == nil {
			return nil
		}
		list = found.inner
	}
	return found
}
