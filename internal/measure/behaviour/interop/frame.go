package interop

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Link types of tcpdump -i any, and that of loopback on BSD.
const (
	cooked  pcap.LinkType = 113
	cooked2 pcap.LinkType = 276
	null    pcap.LinkType = 0
)

// network is the IP packet of a frame; nil: it has none.
func network(link pcap.LinkType, b []byte) ([]byte, error) {
	header := map[pcap.LinkType]int{pcap.Ethernet: 14, cooked: 16, cooked2: 20, null: 4, pcap.Raw: 0, pcap.RawBSD: 0, pcap.IPv4: 0}
	n, known := header[link]
	if !known {
		return nil, fmt.Errorf("link type %d is not known: capture on an Ethernet interface, or by tcpdump -i any", link)
	}
	if link == pcap.Ethernet {
		for len(b) >= n && (binary.BigEndian.Uint16(b[n-2:]) == 0x8100 || binary.BigEndian.Uint16(b[n-2:]) == 0x88a8) {
			n += 4
		}
	}
	if len(b) < n {
		return nil, nil
	}
	return b[n:], nil
}

// datagram is what an IP packet has of N4.
type datagram struct {
	from, to netip.Addr
	pfcp     []byte // nil: it is none
	fragment bool   // it is the first fragment of one
	esp      int    // 1: it is encrypted
}

func datagramOf(ip []byte) (d datagram) {
	const udp, esp = 17, 50
	var protocol byte
	var inner []byte
	var pieces uint16 // flags and offset of a fragment
	switch {
	case len(ip) >= 20 && ip[0]>>4 == 4 && int(ip[0]&15)*4 <= len(ip) && ip[0]&15 >= 5:
		end := min(int(binary.BigEndian.Uint16(ip[2:])), len(ip))
		protocol, inner = ip[9], ip[int(ip[0]&15)*4:max(end, int(ip[0]&15)*4)]
		pieces = binary.BigEndian.Uint16(ip[6:]) & 0x3fff
		d.from, d.to = netip.AddrFrom4([4]byte(ip[12:16])), netip.AddrFrom4([4]byte(ip[16:20]))
	case len(ip) >= 40 && ip[0]>>4 == 6:
		protocol, inner = ip[6], ip[40:]
		d.from, d.to = netip.AddrFrom16([16]byte(ip[8:24])), netip.AddrFrom16([16]byte(ip[24:40]))
	}
	if protocol == esp {
		d.esp = 1
	}
	if protocol != udp || len(inner) < 8 || pieces&0x1fff != 0 { // only the first fragment has ports
		return d
	}
	if binary.BigEndian.Uint16(inner) != pfcp.Port && binary.BigEndian.Uint16(inner[2:]) != pfcp.Port {
		return d
	}
	if pieces != 0 {
		d.fragment = true
		return d
	}
	end := min(int(binary.BigEndian.Uint16(inner[4:])), len(inner))
	d.pfcp = inner[8:max(8, end)]
	return d
}
