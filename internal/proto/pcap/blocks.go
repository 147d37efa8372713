package pcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"time"
)

// The parts of pcapng that are read and written (draft-ietf-opsawg-pcapng, clauses 4.1 to 4.4).
const (
	blockSection   = 0x0A0D0D0A
	blockInterface = 1
	blockOldPacket = 2 // obsolete, and still met
	blockSimple    = 3
	blockPacket    = 6
	byteOrder      = 0x1A2B3C4D

	optionEnd        = 0
	optionComment    = 1 // of any block
	optionUserAppl   = 4 // of the section
	optionName       = 2 // of an interface
	optionMAC        = 6
	optionResolution = 9
	optionOffset     = 14
	optionFlags      = 2 // of a packet
)

// timebase is what an interface's timestamps count.
type timebase struct {
	name   string
	other  bool   // its link type is not the first interface's
	ticks  uint64 // a second
	offset int64  // seconds
}

// at is the time of a timestamp, to the nanosecond below.
func (t timebase) at(stamp uint64) time.Time {
	high, low := bits.Mul64(stamp%t.ticks, 1e9)
	nanos, _ := bits.Div64(high, low, t.ticks) // the product is less than 1e9 * ticks
	return time.Unix(int64(stamp/t.ticks)+t.offset, int64(nanos))
}

// ticksOf reads if_tsresol: a negative power of ten, or of two where the highest bit is set. What
// is finer than 64 bits count is taken for the finest that they do.
func ticksOf(resolution byte) uint64 {
	base, power := uint64(10), min(int(resolution), 19)
	if resolution&0x80 != 0 {
		base, power = 2, min(int(resolution&0x7f), 63)
	}
	ticks := uint64(1)
	for range power {
		ticks *= base
	}
	return ticks
}

// firstInterface reads on until the link type is known.
func (r *Reader) firstInterface() error {
	for len(r.interfaces) == 0 {
		kind, body, err := r.block()
		if errors.Is(err, io.EOF) {
			return errors.New("read its pcapng header: it has no interface")
		}
		if err == nil {
			err = r.describe(kind, body)
		}
		if err != nil {
			return fmt.Errorf("read its pcapng header: %w", err)
		}
	}
	return nil
}

// enhanced reads blocks until one has a packet of the first interface's link type.
func (r *Reader) enhanced() (Packet, error) {
	for {
		kind, body, err := r.block()
		if err != nil {
			return Packet{}, err
		}
		if p, is, err := r.packet(kind, body); is || err != nil {
			return p, err
		}
		if err := r.describe(kind, body); err != nil {
			return Packet{}, err
		}
	}
}

// block reads a block: its type, its length, its body, its length again. The first of a
// section says in what byte order the section is.
func (r *Reader) block() (kind uint32, body []byte, err error) {
	h, err := r.take(8)
	if err != nil {
		return 0, nil, err
	}
	head := [8]byte(h)
	if binary.LittleEndian.Uint32(head[:]) == blockSection {
		magic, err := r.take(4)
		if err != nil {
			return 0, nil, whole(err)
		}
		r.order, r.interfaces = binary.LittleEndian, r.interfaces[:0]
		if binary.BigEndian.Uint32(magic) == byteOrder {
			r.order = binary.BigEndian
		} else if binary.LittleEndian.Uint32(magic) != byteOrder {
			return 0, nil, fmt.Errorf("a section begins with the byte order % x", magic)
		}
		body, err = r.rest(r.order.Uint32(head[4:]), 12)
		return blockSection, body, err
	}
	kind, length := r.order.Uint32(head[:]), r.order.Uint32(head[4:])
	if length > maxPacket && kind != blockPacket && kind != blockSimple && kind != blockOldPacket && kind != blockInterface {
		_, err := io.CopyN(io.Discard, r.from, int64(length)-8) // names, keys, whatever else others write
		return kind, nil, whole(err)
	}
	body, err = r.rest(length, 8)
	return kind, body, err
}

// rest reads the remainder of a block after the first `read` octets, without the trailing length.
func (r *Reader) rest(length, read uint32) ([]byte, error) {
	if length < read+4 || length%4 != 0 {
		return nil, fmt.Errorf("a block of %d octets", length)
	}
	body, err := r.take(length - read)
	if err != nil {
		return nil, whole(err)
	}
	return body[:len(body)-4], nil
}

// describe keeps what a block says of an interface; others are passed over.
func (r *Reader) describe(kind uint32, body []byte) error {
	const most = 1 << 10
	if kind != blockInterface {
		return nil
	}
	if len(body) < 8 || len(r.interfaces) == most {
		return fmt.Errorf("an interface of %d octets, after %d others", len(body), len(r.interfaces))
	}
	link := LinkType(r.order.Uint16(body))
	if len(r.interfaces) == 0 && r.link == 0 {
		r.link = link
	}
	t := timebase{other: link != r.link, ticks: ticksOf(6)}
	r.options(body[8:], func(code uint16, value []byte) {
		switch {
		case code == optionName:
			t.name = string(value)
		case code == optionResolution && len(value) == 1:
			t.ticks = ticksOf(value[0])
		case code == optionOffset && len(value) == 8:
			t.offset = int64(r.order.Uint64(value))
		}
	})
	r.interfaces = append(r.interfaces, t)
	return nil
}

// options reads what follows the fixed part of a block, as far as it is whole.
func (r *Reader) options(b []byte, take func(code uint16, value []byte)) {
	for len(b) >= 4 {
		code, n := r.order.Uint16(b), int(r.order.Uint16(b[2:]))
		if code == optionEnd || len(b) < 4+n {
			return
		}
		take(code, b[4:4+n])
		b = b[min(4+(n+3)&^3, len(b)):]
	}
}

// Interface is the name of an interface of a packet that was read; "": it has none.
func (r *Reader) Interface(of int) string {
	if of < 0 || of >= len(r.interfaces) {
		return ""
	}
	return r.interfaces[of].name
}

// packet returns the packet in a block, when it is of the link type that is read.
func (r *Reader) packet(kind uint32, body []byte) (p Packet, is bool, err error) {
	const header = 20
	which, captured := uint32(0), uint32(0)
	switch {
	case kind == blockSimple && len(body) >= 4:
		p.Length, captured = int(r.order.Uint32(body)), min(r.order.Uint32(body), uint32(len(body)-4))
		p.Data = body[4:]
	case kind == blockPacket && len(body) >= header:
		which = r.order.Uint32(body)
	case kind == blockOldPacket && len(body) >= header:
		which = uint32(r.order.Uint16(body))
	case kind == blockSimple || kind == blockPacket || kind == blockOldPacket:
		return p, false, fmt.Errorf("a packet's block of %d octets", len(body))
	default:
		return p, false, nil
	}
	if which >= uint32(len(r.interfaces)) {
		return p, false, fmt.Errorf("a packet of interface %d; the file has %d", which, len(r.interfaces))
	}
	t := r.interfaces[which]
	if t.other {
		return p, false, nil
	}
	if kind != blockSimple {
		p.At = t.at(uint64(r.order.Uint32(body[4:]))<<32 | uint64(r.order.Uint32(body[8:])))
		captured, p.Length, p.Data = r.order.Uint32(body[12:]), int(r.order.Uint32(body[16:])), body[header:]
	}
	if captured > uint32(len(p.Data)) {
		return p, false, fmt.Errorf("a packet of %d octets in a block that has room for %d", captured, len(p.Data))
	}
	rest := p.Data[min((captured+3)&^3, uint32(len(p.Data))):]
	p.Data, p.Of = p.Data[:captured], int(which)
	if kind == blockPacket {
		r.options(rest, func(code uint16, value []byte) {
			switch {
			case code == optionComment:
				p.Comment = string(value)
			case code == optionFlags && len(value) == 4:
				p.Way = Way(r.order.Uint32(value) & 3)
			}
		})
	}
	return p, true, nil
}
