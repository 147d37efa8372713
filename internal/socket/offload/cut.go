package offload

import (
	"encoding/binary"
	"errors"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Cutter makes of what a device hands over the packets that it stands for. It is one
// goroutine's.
type Cutter struct {
	arena   []byte
	packets [][]byte
}

// Reset forgets the packets, and what Cut gave becomes invalid.
func (c *Cutter) Reset() { c.arena, c.packets = c.arena[:0], c.packets[:0] }

// Octets is how much has been cut since Reset: an arena that grows is copied.
func (c *Cutter) Octets() int { return len(c.arena) }

// Faults of what a device hands over.
var (
	errHeader = errors.New("a virtio-net header that does not go with its packet")
	errKind   = errors.New("a kind of segmentation that was not asked for")
)

// Cut gives the packets that an IP packet stands for, whole and with their checksums. A
// packet that is one already is given as it is, its checksum finished in place. They are
// valid until Reset. The header's offsets count from the packet's first octet.
func (c *Cutter) Cut(h Header, ip []byte) ([][]byte, error) {
	if h.GSO == GSONone {
		if h.Flags&NeedsChecksum != 0 {
			if err := finish(h, ip); err != nil {
				return nil, err
			}
		}
		return c.whole(ip), nil
	}
	l, err := layoutOf(h, ip)
	if err != nil {
		return nil, err
	}
	return c.cut(&l, nil, ip), nil
}

// CutFrame is Cut for a frame, whose header's offsets count from its first octet: each frame
// that it gives has the same link-layer header. What is no IP, or does not go with its header, is
// given as it is.
func (c *Cutter) CutFrame(header, frame []byte) [][]byte {
	h := Parse(header)
	if h.GSO == GSONone || len(frame) <= linkBytes || h.SumFrom < linkBytes {
		if h.Flags&NeedsChecksum != 0 {
			_ = finish(h, frame) // else the frame stays as it is
		}
		return c.whole(frame)
	}
	h.SumFrom -= linkBytes
	l, err := layoutOf(h, frame[linkBytes:])
	if err != nil {
		return c.whole(frame)
	}
	return c.cut(&l, frame[:linkBytes], frame[linkBytes:])
}

// linkBytes is the length of an Ethernet header.
const linkBytes = 14

func (c *Cutter) whole(packet []byte) [][]byte {
	c.packets = append(c.packets, packet)
	return c.packets[len(c.packets)-1:]
}

// finish replaces the sum of the pseudo header by the checksum.
func finish(h Header, ip []byte) error {
	from, at := int(h.SumFrom), int(h.SumFrom)+int(h.SumAt)
	if from > len(ip) || at+2 > len(ip) {
		return errHeader
	}
	sum := checksum.Sum(ip[from:])
	put := checksum.Finish(sum)
	if h.SumAt == udpSumAt {
		put = checksum.FinishUDP(sum)
	}
	checksum.Put(ip[at:], put)
	return nil
}

// layout is where the headers of a packet that is to be cut are, octets.
type layout struct {
	version        byte
	tcp            bool
	transport, all int // where the transport header begins and ends
	segment        int // of payload in a packet
}

func layoutOf(h Header, ip []byte) (l layout, err error) {
	l = layout{transport: int(h.SumFrom), segment: int(h.SegmentBytes)}
	kind := h.GSO &^ gsoECN
	l.tcp = kind != GSOUDP
	switch {
	case kind != GSOTCPv4 && kind != GSOTCPv6 && kind != GSOUDP:
		return l, errKind
	case len(ip) == 0 || l.segment == 0 || h.Flags&NeedsChecksum == 0:
		return l, errHeader
	}
	l.version = ip[0] >> 4
	shortest, transport := 20, 8
	if l.version == 6 {
		shortest = 40
	}
	if l.tcp {
		transport = 20
	}
	if l.version != 4 && l.version != 6 || l.transport < shortest || len(ip) < l.transport+transport {
		return l, errHeader
	}
	if l.tcp {
		transport = max(transport, int(ip[l.transport+12]>>4)*4)
	}
	l.all = l.transport + transport
	if l.all >= len(ip) {
		return l, errHeader
	}
	return l, nil
}

// cut copies each segment behind headers of its own, and these behind the link's.
func (c *Cutter) cut(l *layout, link, ip []byte) [][]byte {
	first := len(c.packets)
	payload := ip[l.all:]
	for n := 0; n*l.segment < len(payload); n++ {
		part := payload[n*l.segment : min((n+1)*l.segment, len(payload))]
		at := len(c.arena)
		c.arena = append(append(append(c.arena, link...), ip[:l.all]...), part...)
		whole := c.arena[at:len(c.arena):len(c.arena)]
		packet := whole[len(link):]
		l.number(packet, n, (n+1)*l.segment >= len(payload))
		l.sums(packet)
		c.packets = append(c.packets, whole)
	}
	return c.packets[first:]
}

// Flags of TCP, RFC 9293.
const (
	tcpFIN = 1 << 0
	tcpPSH = 1 << 3
	tcpACK = 1 << 4
	tcpCWR = 1 << 7
)

// number sets what differs from packet to packet.
func (l *layout) number(p []byte, n int, last bool) {
	if l.version == 4 {
		binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
		binary.BigEndian.PutUint16(p[4:], binary.BigEndian.Uint16(p[4:])+uint16(n))
	} else {
		binary.BigEndian.PutUint16(p[4:], uint16(len(p)-40))
	}
	t := p[l.transport:]
	if !l.tcp {
		binary.BigEndian.PutUint16(t[4:], uint16(len(t)))
		return
	}
	binary.BigEndian.PutUint32(t[4:], binary.BigEndian.Uint32(t[4:])+uint32(n*l.segment))
	if !last {
		t[13] &^= tcpFIN | tcpPSH
	}
	if n > 0 {
		t[13] &^= tcpCWR
	}
}
