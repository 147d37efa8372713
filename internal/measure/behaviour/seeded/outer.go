package seeded

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// Offsets in a downlink G-PDU with a PDU session container, as it leaves over IPv4.
const (
	atContainer = 20 + 8 + 12 // its length, then its content
	atQFI       = atContainer + 2
	atInner     = 20 + 8 + 16
)

// carried reports whether an IP packet is a G-PDU with a container.
func carried(ip []byte) bool {
	return len(ip) > atInner+20 && ip[0] == 0x45 && ip[9] == 17 && binary.BigEndian.Uint16(ip[22:]) == gtpu.Port &&
		ip[29] == byte(gtpu.GPDU) && ip[28]&4 != 0
}

// outer are faults of the headers that packets leave in.
func outer() []Fault {
	each := func(change func(ip []byte)) func(int, bool, []byte) [][]byte {
		return func(_ int, _ bool, ip []byte) [][]byte {
			if carried(ip) {
				change(ip)
			}
			return [][]byte{ip}
		}
	}
	return []Fault{
		{Name: "the outer IPv4 checksum is wrong", Row: "gtpu.outer.checksum", Leaving: each(func(ip []byte) { ip[10] ^= 0xff })},
		{Name: "the outer UDP checksum is wrong", Row: "gtpu.outer.udp-checksum", Leaving: each(func(ip []byte) { ip[26], ip[27] = 0x12, 0x34 })},
		{Name: "the outer TTL is 1", Row: "gtpu.outer.ttl", Leaving: each(func(ip []byte) { ip[8] = 1; checksum.SealIPv4(ip) })},
		{Name: "the outer source is another address", Row: "gtpu.outer.source", Leaving: each(func(ip []byte) { ip[15] ^= 0x40; checksum.SealIPv4(ip) })},
		{Name: "the container is that of uplink", Row: "gtpu.outer.container",
			Also:    []string{"qer.qfi", "qer.qfi.update", "qer.qfi.flows", "qer.qfi.lengths", "qer.rqi", "qer.ppi"},
			Leaving: each(func(ip []byte) { ip[atContainer+1] = 0x10 })},
		{Name: "the reflective QoS indicator is set unasked", Row: "qer.rqi.not-asked", Leaving: each(func(ip []byte) { ip[atQFI] |= 0x40 })},
		{Name: "the QFI is wrong in packets over 1000 octets of every second session", Row: "qer.qfi.lengths", Leaving: each(func(ip []byte) {
			if len(ip)-atInner > 1000 && binary.BigEndian.Uint32(ip[32:])%2 == 0 {
				ip[atQFI] ^= 1
			}
		})},
		{Name: "the ECN field is cleared", Row: "ip.ecn", Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			inner := ip
			if carried(ip) {
				inner = ip[atInner:]
			}
			if inner[0]>>4 == 4 && inner[1]&3 != 0 {
				inner[1] &^= 3
				checksum.SealIPv4(inner)
			}
			return [][]byte{ip}
		}},
		{Name: "the IPv4 checksum of forwarded packets is zero", Row: "ip.checksum",
			Also: []string{"far.path-switch", "pdr.two-sessions", "pdr.teid", "far.drop.downlink",
				"qer.gate.downlink", "qer.qfi", "urr.volume.downlink",
				"fteid.choose", "session.modify.remove-pdr", "ip.dscp", "far.end-marker.not-asked"},
			Leaving: func(_ int, _ bool, ip []byte) [][]byte {
				inner := ip
				if carried(ip) {
					inner = ip[atInner:]
				}
				if inner[0]>>4 == 4 {
					inner[10], inner[11] = 0, 0
				}
				return [][]byte{ip}
			}},
	}
}
