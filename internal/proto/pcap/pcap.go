// Package pcap reads captures, classic pcap and pcapng, and writes pcapng
// (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng). Captures come from strangers: whatever
// a file claims, a packet takes at most 256 KiB of memory.
package pcap

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// maxPacket is the longest packet that is read, octets: libpcap's own limit.
const maxPacket = 256 << 10

// LinkType says what header a packet of a capture begins with (tcpdump.org/linktypes.html).
type LinkType uint16

// The link types that upflab looks into.
const (
	Ethernet LinkType = 1
	RawBSD   LinkType = 12 // raw IP, as some systems number it
	Raw      LinkType = 101
	IPv4     LinkType = 228
)

// Packet is a captured packet.
type Packet struct {
	At     time.Time
	Data   []byte // as much as was captured; valid until the next packet is read
	Length int    // octets on the wire
	// The rest only pcapng has: the interface, by its place in the file, the direction and what somebody noted.
	Of      int
	Way     Way
	Comment string
}

// Reader reads a capture, packet by packet. Of a pcapng file with interfaces of several link
// types it gives the packets of the first one's type.
type Reader struct {
	from io.Reader
	next func() (Packet, error)
	buf  []byte

	order      binary.ByteOrder
	link       LinkType
	nanos      bool // of classic pcap: fractions of seconds are ns and not us
	interfaces []timebase
}

const (
	classicMicros = 0xa1b2c3d4
	classicNanos  = 0xa1b23c4d
)

// NewReader reads a capture's header. The error says what is wrong with it.
func NewReader(from io.Reader) (*Reader, error) {
	b := bufio.NewReader(from)
	magic, err := b.Peek(4)
	if err != nil {
		return nil, errors.New("it is empty, or nearly so")
	}
	r := &Reader{from: b}
	if binary.LittleEndian.Uint32(magic) == blockSection {
		r.next = r.enhanced
		return r, r.firstInterface()
	}
	r.next = r.classic
	return r, r.header()
}

// LinkType is that of the packets.
func (r *Reader) LinkType() LinkType { return r.link }

// Next reads a packet; io.EOF is the capture's end, another error says where it is damaged.
func (r *Reader) Next() (Packet, error) { return r.next() }

// header reads the file header of classic pcap, of either byte order.
func (r *Reader) header() error {
	b, err := r.take(24)
	if err != nil {
		return errors.New("neither pcap nor pcapng: it is shorter than a header")
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch order.Uint32(b) {
		case classicNanos:
			r.nanos = true
			fallthrough
		case classicMicros:
			r.order, r.link = order, LinkType(order.Uint32(b[20:]))
			return nil
		}
	}
	return fmt.Errorf("neither pcap nor pcapng: it begins with % x", b[:4])
}

func (r *Reader) classic() (Packet, error) {
	h, err := r.take(16)
	if err != nil {
		return Packet{}, err
	}
	fraction := time.Duration(r.order.Uint32(h[4:]))
	if !r.nanos {
		fraction *= time.Microsecond
	}
	p := Packet{At: time.Unix(int64(r.order.Uint32(h)), int64(fraction)), Length: int(r.order.Uint32(h[12:]))}
	if p.Data, err = r.take(r.order.Uint32(h[8:])); err != nil {
		return Packet{}, whole(err)
	}
	return p, nil
}

// take reads n octets, which stay until the next call. Nothing left is io.EOF.
func (r *Reader) take(n uint32) ([]byte, error) {
	const headers = 64
	if n > maxPacket+headers {
		return nil, fmt.Errorf("it claims a packet or block of %d octets; %d is the most", n, maxPacket)
	}
	if int(n) > cap(r.buf) {
		r.buf = make([]byte, n)
	}
	_, err := io.ReadFull(r.from, r.buf[:n])
	return r.buf[:n], err
}

// whole turns the end of a file into an error where more had to come.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
