package pfcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/wmnsk/go-pfcp/ie"
)

// Bounds of what Decode takes, well above any real message. They keep the time
// and memory that one datagram costs small.
const (
	MaxIEs   = 4096 // in a message, those in groups included: a session of 256 PDRs has some 3000; under 2 ms
	MaxDepth = 8    // of groups in groups
)

// Why Decode gave up.
var (
	// ErrIEs: the lengths of the IEs do not fit the message, or it has more
	// IEs or deeper groups than the bounds.
	ErrIEs = errors.New("the lengths of the IEs do not fit the message")
	// ErrDecoder: the library panicked on an IE that is shorter than its fields.
	ErrDecoder = errors.New("an IE is shorter than its own fields")
)

// Decode parses a message's IEs and passes them to read, which may keep none of them, but
// what they say, and their octets, which are those of the message. The accessors of
// go-pfcp trust lengths that a peer sends and may panic: everything that uses
// them runs inside read, as this is the one place that recovers. The error is
// read's, or wraps ErrIEs or ErrDecoder.
func Decode(ies []byte, read func([]*ie.IE) error) (err error) {
	defer rescue(&err)
	n, err := bounded(ies)
	if err != nil {
		return err
	}
	m := memories.Get().(*memory)
	defer m.giveBack()
	all, err := m.parser(n).parse(ies)
	if err != nil {
		return err
	}
	return read(all)
}

// Check reports whether the lengths of a message's IEs fit, as Decode does, for readers that do not need Decode. The
// error wraps ErrIEs.
func Check(ies []byte) error {
	_, err := bounded(ies)
	return err
}

// memory is what the IEs of a message are made of, for one message after another.
type memory struct {
	ies   []ie.IE
	lists []*ie.IE
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// usualIEs is how many IEs a memory has room for that is kept.
const usualIEs = 512

// parser gives the memory for n IEs.
func (m *memory) parser(n int) *parser {
	if cap(m.ies) < n {
		m.ies, m.lists = make([]ie.IE, n), make([]*ie.IE, n)
	}
	m.ies, m.lists = m.ies[:n], m.lists[:n]
	return &parser{m.ies, m.lists}
}

// giveBack clears it, so that whoever still holds an IE finds it empty at once.
func (m *memory) giveBack() {
	clear(m.ies)
	clear(m.lists)
	if cap(m.ies) <= usualIEs {
		memories.Put(m)
	}
}

// parser makes the IEs of a message out of a memory for all of them.
type parser struct {
	ies   []ie.IE
	lists []*ie.IE
}

// parse reads IEs whose lengths fit, as ie.ParseMultiIEs does.
func (p *parser) parse(b []byte) (list []*ie.IE, err error) {
	siblings := 0
	for rest := b; len(rest) > 0; siblings++ {
		rest = rest[4+binary.BigEndian.Uint16(rest[2:]):]
	}
	list, p.lists = p.lists[:siblings:siblings], p.lists[siblings:]
	for n := range list {
		i := &p.ies[0]
		list[n], p.ies = i, p.ies[1:]
		i.Type, i.Length = binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
		i.Payload, b = b[4:4+i.Length], b[4+i.Length:]
		switch {
		case i.IsVendorSpecific() && i.Length < 2:
			return nil, fmt.Errorf("%w: IE %d of a vendor has no room for its enterprise ID", ErrIEs, i.Type)
		case i.IsVendorSpecific():
			i.EnterpriseID, i.Payload = binary.BigEndian.Uint16(i.Payload), i.Payload[2:]
		case Grouped(i.Type):
			if i.ChildIEs, err = p.parse(i.Payload); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w (%v)", ErrDecoder, p)
	}
}

// bounded counts the IEs, and refuses what takes much time or stack.
func bounded(ies []byte) (n int, err error) {
	left := MaxIEs
	err = count(ies, MaxDepth, &left)
	return MaxIEs - left, err
}

func count(b []byte, depth int, left *int) error {
	for len(b) >= 4 {
		typ, end := binary.BigEndian.Uint16(b), 4+int(binary.BigEndian.Uint16(b[2:]))
		if *left--; *left < 0 {
			return fmt.Errorf("%w: more than %d IEs", ErrIEs, MaxIEs)
		}
		if end > len(b) {
			return fmt.Errorf("%w: IE %d (%s) is longer than what holds it", ErrIEs, typ, IEType(typ))
		}
		if Grouped(typ) {
			if depth == 0 {
				return fmt.Errorf("%w: more than %d groups inside each other", ErrIEs, MaxDepth)
			}
			if err := count(b[4:end], depth-1, left); err != nil {
				return err
			}
		}
		b = b[end:]
	}
	if len(b) > 0 {
		return fmt.Errorf("%w: %d octets are left over", ErrIEs, len(b))
	}
	return nil
}

// Grouped reports whether an IE type is that of a group.
func Grouped(typ uint16) bool {
	i := ie.IE{Type: typ}
	return i.IsGrouped()
}
