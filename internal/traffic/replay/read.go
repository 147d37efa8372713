package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Read reads a capture, classic pcap or pcapng, of Ethernet or raw IP. maxPayload is
// the longest UDP payload that can be sent, octets.
func Read(path string, maxPayload int) (*Recording, error) {
	f, _, err := safefile.Open(path, 0)
	if err != nil {
		return nil, fmt.Errorf("open the capture: %w: pcap names a pcap or pcapng file", err)
	}
	defer f.Close()
	r, err := read(f, maxPayload)
	if err != nil {
		return nil, fmt.Errorf("capture %s: %w", path, err)
	}
	return r, nil
}

func read(file io.Reader, maxPayload int) (*Recording, error) {
	s, err := pcap.NewReader(file)
	if err != nil {
		return nil, err
	}
	start, err := network(s.LinkType())
	if err != nil {
		return nil, err
	}
	b := newBuilder(maxPayload)
	for {
		p, err := s.Next()
		if errors.Is(err, io.EOF) {
			return b.finish()
		}
		if err != nil { // a capture that was cut short has what it has
			b.damaged = err.Error()
			return b.finish()
		}
		b.add(start(p.Data), p.At)
	}
}

// network finds the IP packet behind the header of a link type; nil: there is none.
func network(t pcap.LinkType) (func([]byte) []byte, error) {
	switch t {
	case pcap.Ethernet:
		return behindEthernet, nil
	case pcap.Raw, pcap.RawBSD, pcap.IPv4:
		return func(b []byte) []byte { return b }, nil
	}
	return nil, fmt.Errorf("its link type is %d; Ethernet and raw IP can be replayed", t)
}

func behindEthernet(b []byte) []byte {
	const header, etherIPv4 = 14, 0x0800
	if len(b) < header || binary.BigEndian.Uint16(b[12:]) != etherIPv4 {
		return nil
	}
	return b[header:]
}

// packet is what of a captured packet is sent: its ports, the length of its UDP
// payload, and that payload as far as it was captured.
type packet struct {
	sourcePort, destinationPort uint16
	payload                     int
	content                     []byte
	tcp                         bool
}

// The reasons to skip a packet.
const (
	notIPv4  = "not IPv4"
	fragment = "fragments"
	otherIP  = "neither UDP nor TCP"
	tunnel   = "GTP-U, which would be taken for the tunnel"
	broken   = "headers cut short"
)

// dissect takes an IPv4 packet apart. skipped says why it cannot be sent, if so.
func dissect(ip []byte) (p packet, skipped string) {
	const udp, tcp, udpHeader = 17, 6, 8
	if len(ip) < 20 || ip[0]>>4 != 4 {
		return p, notIPv4
	}
	header, total := int(ip[0]&15)*4, int(binary.BigEndian.Uint16(ip[2:]))
	switch {
	case header < 20 || total < header+udpHeader || len(ip) < header+udpHeader:
		return p, broken
	case binary.BigEndian.Uint16(ip[6:])&0x3fff != 0:
		return p, fragment
	case ip[9] != udp && ip[9] != tcp:
		return p, otherIP
	}
	b := ip[header:min(total, len(ip))]
	p = packet{sourcePort: binary.BigEndian.Uint16(b), destinationPort: binary.BigEndian.Uint16(b[2:]),
		payload: total - header - udpHeader, content: b[udpHeader:], tcp: ip[9] == tcp}
	if p.destinationPort == gtpu.Port {
		return p, tunnel
	}
	return p, ""
}
