package seeded

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// tpdu is where the IPv4 T-PDU of a packet begins, if there is one: in a G-PDU with a container, or the packet itself.
func tpdu(uplink bool, ip []byte) []byte {
	if uplink && !carried(ip) || len(ip) < 20 {
		return nil
	}
	if uplink {
		ip = ip[atInner:]
	}
	if ip[0] != 0x45 {
		return nil
	}
	return ip
}

// routing are faults of a UPF as a router.
func routing() []Fault {
	rewritten := func(name, row string, uplink bool, at int, to string) Fault {
		return Fault{Name: name, Row: row, Arriving: func(_ int, up bool, ip []byte) bool {
			if inner := tpdu(up, ip); inner != nil && up == uplink && unroutable([4]byte(inner[at:])) {
				copy(inner[at:], netip.MustParseAddr(to).AsSlice())
				checksum.SealIPv4(inner)
			}
			return true
		}}
	}
	mute := func(name, row string, ue bool, icmp byte) Fault {
		return Fault{Name: name, Row: row, Mute: func(toUE bool, typ byte) bool { return toUE == ue && typ == icmp }}
	}
	return []Fault{
		{Name: "the outer ECN field says congestion", Row: "ip.ecn.encapsulated", Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			if carried(ip) {
				ip[1] |= 3
				checksum.SealIPv4(ip)
			}
			return [][]byte{ip}
		}},
		{Name: "congestion of the outer header is lost", Row: "ip.ecn.decapsulated", Also: []string{"ip.ecn.not-capable"},
			Arriving: func(_ int, uplink bool, ip []byte) bool {
				if uplink && carried(ip) {
					ip[1] &^= 3
				}
				return true
			}},
		{Name: "what knows no ECN passes in spite of congestion", Row: "ip.ecn.not-capable", Arriving: func(_ int, uplink bool, ip []byte) bool {
			if inner := tpdu(uplink, ip); uplink && inner != nil && inner[1]&3 == 0 {
				ip[1] &^= 3
			}
			return true
		}},
		mute("UEs are not told that their packets had no hop left", "ip.ttl.answered.uplink", true, 11),
		mute("UEs learn no MTU", "ip.mtu.too-big.uplink", true, 3),
		mute("hosts are not told that their packets had no hop left", "ip.ttl.answered.downlink", false, 11),
		mute("hosts learn no MTU", "ip.mtu.too-big", false, 3),
		rewritten("packets to no host are forwarded", "ip.unroutable.destination", true, 16, "198.51.100.10"),
		rewritten("packets from no host are forwarded", "ip.unroutable.source", false, 12, "198.51.100.10"),
		{Name: "fragments of outer packets are lost", Row: "ip.outer-fragments", Also: []string{"ip.outer-fragments.swapped"},
			Arriving: func(_ int, uplink bool, ip []byte) bool {
				return !uplink || binary.BigEndian.Uint16(ip[6:])&0x3fff == 0
			}},
		{Name: "fragments of outer packets have to come in order", Row: "ip.outer-fragments.swapped", Arriving: ordered()},
		{Name: "header checksums are not verified", Row: "ip.checksum.wrong", Arriving: func(_ int, uplink bool, ip []byte) bool {
			if inner := tpdu(uplink, ip); inner != nil {
				checksum.SealIPv4(inner)
			}
			return true
		}},
		{Name: "a maximum bit rate takes bursts of 5 ms", Row: "qer.mbr.burst", Rules: func(_, r *session.Rules) {
			for i := range r.QERs {
				r.QERs[i].Window = 40 * time.Millisecond // a bucket holds an eighth of it
			}
		}},
	}
}

// ordered loses fragments that come before the first one of their packet.
func ordered() func(int, bool, []byte) bool {
	begun := [2]byte{}
	return func(_ int, uplink bool, ip []byte) bool {
		flags := binary.BigEndian.Uint16(ip[6:])
		if !uplink || flags&0x3fff == 0 {
			return true
		}
		if flags&0x1fff == 0 {
			begun = [2]byte(ip[4:])
		}
		return begun == [2]byte(ip[4:])
	}
}

// unroutable reports whether an address is one that no router forwards to or from.
func unroutable(a [4]byte) bool {
	return a[0] == 0 || a[0] == 127 || a[0] >= 224 || a[0] == 169 && a[1] == 254
}

// moving are faults of changes, and of what an intermediate UPF passes on.
func moving() []Fault {
	spoiled := func(name, row string, is func(first, second byte) bool) Fault {
		return Fault{Name: name, Row: row, Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			if carried(ip) && ip[atContainer] > 1 && is(ip[atContainer+1], ip[atQFI]) {
				clear(ip[atQFI+1 : atContainer+4*int(ip[atContainer])-1])
			}
			return [][]byte{ip}
		}}
	}
	met := map[[4]byte]int{}
	return []Fault{
		spoiled("an intermediate UPF clears the Paging Policy Indicator", "far.n9.ppi",
			func(first, second byte) bool { return first == 0 && second&0x80 != 0 }),
		spoiled("an intermediate UPF clears downlink time stamps", "far.n9.qmp.downlink", func(first, _ byte) bool { return first == 0x08 }),
		spoiled("an intermediate UPF clears uplink time stamps", "far.n9.qmp.uplink", func(first, _ byte) bool { return first == 0x18 }),
		{Name: "the first packets to a new gNB are lost", Row: "far.path-switch.new-gnb", Leaving: func(_ int, _ bool, ip []byte) [][]byte {
			const known = 2 // the last octets of the addresses of the first two
			if to := [4]byte(ip[16:]); carried(ip) && to[3] > known {
				if met[to]++; met[to] <= 3 {
					return nil
				}
			}
			return [][]byte{ip}
		}},
		{Name: "an updated filter stays as it was in the PDR that names it", Row: "pdr.sdf.id.update", Rules: func(old, r *session.Rules) {
			if old != nil && r.FindPDR(2) != nil && old.FindPDR(2) != nil {
				r.FindPDR(2).PDI.Filters = old.FindPDR(2).PDI.Filters
			}
		}},
		{Name: "reports go to the former SMF", Row: "n4.fseid.modify", Ask: func(m []byte) []byte {
			const address = 1 + 8 // behind flags and SEID
			if i := at(m, ie.FSEID); pfcp.MessageType(m[1]) == pfcp.SessionModificationRequest && i > 0 {
				m[i+address+3] = 1
			}
			return m
		}},
	}
}
