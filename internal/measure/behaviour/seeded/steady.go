package seeded

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/checksum"
)

// steady are faults that show in each packet, or in the first of each tunnel.
func steady() []Fault {
	uplink := func(change func(ip []byte)) func(int, bool, []byte) [][]byte {
		return func(_ int, up bool, ip []byte) [][]byte {
			if up && !carried(ip) && ip[0]>>4 == 4 {
				change(ip)
				checksum.SealIPv4(ip[:4*int(ip[0]&0xf)])
			}
			return [][]byte{ip}
		}
	}
	return []Fault{
		{Name: "the identification of uplink packets is zeroed", Row: "ip.identification", Also: everywhereSeen,
			Leaving: uplink(func(ip []byte) { ip[4], ip[5] = 0, 0 })},
		{Name: "DF of uplink packets is set", Row: "ip.flags", Also: everywhereSeen, Leaving: uplink(func(ip []byte) { ip[6] |= 0x40 })},
		{Name: "downlink packets go to UDP port 2153", Row: "gtpu.outer.port", Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			if carried(ip) {
				binary.BigEndian.PutUint16(ip[22:], 2153)
			}
			return [][]byte{ip}
		}},
		{Name: "downlink packets leave in fragments of their outer packet", Row: "gtpu.outer.whole", Leaving: inFragments()},
		{Name: "the first downlink packet of each tunnel is lost", Row: "session.first",
			Also: append([]string{"gtpu.error-indication.reported", "far.end-marker.not-asked"}, everywhereSeen...), Leaving: firstLost()},
		{Name: "a Paging Policy Indicator is in short packets unasked", Row: "qer.ppi.not-asked", Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			if carried(ip) && len(ip)-atInner < 100 {
				ip = withPPI(ip, 3)
			}
			return [][]byte{ip}
		}},
		{Name: "packets of UDP port 53 come twice", Row: "ip.ports", Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			inner := ip
			if carried(ip) {
				inner = ip[atInner:]
			}
			if inner[0] == 0x45 && inner[9] == packet.UDP && (binary.BigEndian.Uint16(inner[20:]) == 53 || binary.BigEndian.Uint16(inner[22:]) == 53) {
				return [][]byte{ip, ip}
			}
			return [][]byte{ip}
		}},
		{Name: "Ethernet's padding goes into the tunnel", Row: "ip.padding", Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			const least = packet.LeastFrame - ethernet
			if missing := least - (len(ip) - atInner); carried(ip) && missing > 0 {
				ip = append(ip, make([]byte, missing)...)
				binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
				binary.BigEndian.PutUint16(ip[24:], uint16(len(ip)-20))
				binary.BigEndian.PutUint16(ip[30:], uint16(len(ip)-36))
				clear(ip[26:28])
				checksum.SealIPv4(ip[:20])
			}
			return [][]byte{ip}
		}},
		{Name: "a GTP-U extension header in 50 is damaged", Row: "gtpu.outer.header", Also: everywhereSeen, Leaving: damaged()},
	}
}

// everywhereSeen are cases in which a fault of every packet shows.
var everywhereSeen = []string{"far.path-switch", "pdr.two-sessions", "pdr.teid", "far.drop.downlink", "qer.gate.downlink", "qer.qfi",
	"urr.volume.downlink", "fteid.choose", "session.modify.remove-pdr", "ip.dscp"}

func inFragments() func(int, bool, []byte) [][]byte {
	id := uint16(0)
	return func(_ int, _ bool, ip []byte) [][]byte {
		if !carried(ip) {
			return [][]byte{ip}
		}
		id++
		return packet.Split(ip, 2, id)
	}
}

func firstLost() func(int, bool, []byte) [][]byte {
	seen := map[uint32]bool{}
	return func(_ int, _ bool, ip []byte) [][]byte {
		if carried(ip) {
			teid := binary.BigEndian.Uint32(ip[32:])
			if !seen[teid] {
				seen[teid] = true
				return nil
			}
		}
		return [][]byte{ip}
	}
}

// withPPI gives a G-PDU a container of eight octets with an indicator.
func withPPI(ip []byte, ppi byte) []byte {
	ip[atContainer], ip[atQFI] = 2, ip[atQFI]|0x80
	return grown(ip, atQFI+1, true, ppi<<5, 0, 0, 0)
}

func damaged() func(int, bool, []byte) [][]byte {
	n := 0
	return func(_ int, _ bool, ip []byte) [][]byte {
		if carried(ip) {
			if n++; n%50 == 0 {
				ip[atContainer] = 0 // its length
			}
		}
		return [][]byte{ip}
	}
}
