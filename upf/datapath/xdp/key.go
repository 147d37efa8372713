package xdp

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// key is what one of the rule maps is looked up by: a plan.Key in fewer octets.
type key struct {
	source session.Interface // access: it is a TEID
	ipv6   bool
	bits   uint8    // of a prefix: IPv6, or an IPv4 network, which is IPv4-mapped in id; 0: an address
	id     [16]byte // TEID or UE address, in network order, of 4 octets but for IPv6's prefixes
}

func keyOf(k plan.Key) (x key) {
	x.source, x.ipv6 = session.Core, k.IPv6
	switch {
	case k.IsTunnel():
		x.source = session.Access // N9, too
		binary.BigEndian.PutUint32(x.id[:], k.TEID)
	case k.IPv6:
		x.bits, x.id = uint8(k.UE.Bits()), k.UE.Addr().As16()
	case k.IsFramed():
		x.bits, x.id = uint8(k.UE.Bits()+96), k.UE.Addr().As16()
	default:
		a := k.UE.Addr().As4()
		copy(x.id[:], a[:])
	}
	return x
}

// shortKey is a key of a TEID or an IPv4 address: there are many.
type shortKey uint64

// short is the key in fewer octets; not ok for one of a prefix.
func (k key) short() (s shortKey, ok bool) {
	s = shortKey(binary.BigEndian.Uint32(k.id[:])) | shortKey(k.source)<<32
	if k.ipv6 {
		s |= 1 << 40
	}
	return s, k.bits == 0
}

func (k key) String() string {
	p := plan.Key{Source: k.source, IPv6: k.ipv6}
	if k.source == session.Access {
		p.TEID = binary.BigEndian.Uint32(k.id[:])
	} else {
		p.UE = netip.PrefixFrom(netip.AddrFrom4([4]byte(k.id[:4])), 32)
		if k.ipv6 {
			p.UE = netip.PrefixFrom(netip.AddrFrom16(k.id), int(k.bits))
		} else if k.bits > 0 {
			p.UE = netip.PrefixFrom(netip.AddrFrom16(k.id).Unmap(), int(k.bits)-96)
		}
	}
	return p.String()
}

// isUplink6 reports whether the key is of the IPv6 packets of a TEID.
func (k key) isUplink6() bool { return k.source == session.Access && k.ipv6 }

// place is the map that the key is of, and the key there.
func (k key) place(o *upfObjects) (*ebpf.Map, any) {
	id := [4]byte(k.id[:4])
	switch {
	case k.isUplink6():
		return o.UplinkRules6, id
	case k.source == session.Access:
		return o.UplinkRules, id
	case k.bits > 0:
		return o.DownlinkRules6, upfPrefix6{Address: wire6(k.id), Bits: uint32(k.bits)}
	}
	return o.DownlinkRules, id
}

// ofRows is the key of the rows, as packets are compared with it: KEY_FRAMED of bpf/chain.h for
// an IPv4 network.
func (k key) ofRows() uint32 {
	if k.bits > 0 {
		return math.MaxUint32
	}
	return binary.NativeEndian.Uint32(k.id[:])
}

// table is which of the maps the key is of.
func (k key) table() tableID { return tableID{k.source, k.ipv6 || k.bits > 0} }

// tableID names a rule map.
type tableID struct {
	source session.Interface
	ipv6   bool
}

// wire6 gives an address as the programs read it from a packet.
func wire6(b [16]byte) upfAddr6 {
	return upfAddr6{Word: [2]uint64{binary.NativeEndian.Uint64(b[:8]), binary.NativeEndian.Uint64(b[8:])}}
}

// wirePrefix6 is a prefix's address and mask as the programs read them; 0 for any.
func wirePrefix6(p netip.Prefix) (address, mask upfAddr6) {
	if !p.IsValid() {
		return address, mask
	}
	var b [16]byte
	for i := range p.Bits() {
		b[i/8] |= 0x80 >> (i % 8)
	}
	return wire6(p.Masked().Addr().As16()), wire6(b)
}

// ownAddresses are the machine's own, of one family, as the programs have them.
type ownAddresses[A comparable] struct {
	table *ebpf.Map
	known map[A]bool // what the table holds
}

// syncAddresses lists the machine's own addresses for the programs, which count drops by
// them. Where that fails such drops count as "no route".
func (r *router) syncAddresses() {
	list, err := r.kernel.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return
	}
	four, six := map[uint32]bool{}, map[upfAddr6]bool{}
	for _, a := range list {
		if ip := a.IP.To4(); ip != nil {
			four[binary.NativeEndian.Uint32(ip)] = true
		} else if len(a.IP) == 16 {
			six[wire6([16]byte(a.IP))] = true
		}
	}
	r.own.replace(four)
	r.own6.replace(six)
}

func (o *ownAddresses[A]) replace(now map[A]bool) {
	for address := range o.known {
		if !now[address] {
			_ = o.table.Delete(address)
			delete(o.known, address)
		}
	}
	for address := range now {
		if !o.known[address] && o.table.Update(address, uint8(1), ebpf.UpdateAny) == nil {
			o.known[address] = true
		}
	}
}

// maxLengths is LENGTHS_MAX of bpf/rules.h.
const maxLengths = 8

// lengths counts UE prefixes by length: a packet's address is looked up once for each.
type lengths map[uint8]int

// lengthList is the lengths that there are, the longest first; 0 ends them.
type lengthList [maxLengths]uint8

// listOf is a list of at most maxLengths.
func listOf(lengths []uint8) (l lengthList) {
	copy(l[:], lengths)
	return l
}

// after are the lengths that there would be after the steps, the longest first; the
// error is one of too many.
func (l lengths) after(steps []step) (list lengthList, err error) {
	grow := lengths{}
	for _, s := range steps {
		if s.key.bits == 0 {
			continue
		}
		grow[s.key.bits] += s.change()
	}
	if len(l)+len(grow) == 0 {
		return list, nil
	}
	n := 0
	for bits := 128; bits > 0; bits-- {
		if l[uint8(bits)]+grow[uint8(bits)] <= 0 {
			continue
		}
		if n == maxLengths {
			return list, fmt.Errorf("xdp: UE prefixes and networks behind UEs of over %d lengths: %w: give "+
				"prefixes of 64 bits", maxLengths, datapath.ErrFull)
		}
		list[n] = uint8(bits)
		n++
	}
	return list, nil
}

// change is how many entries a step adds.
func (s step) change() (n int) {
	if s.old != nil {
		n--
	}
	if s.new != nil {
		n++
	}
	return n
}

// union are the lengths of both lists.
func union(a, b lengthList) (list []uint8) {
	list = slices.Concat(a[:], b[:])
	slices.SortFunc(list, func(x, y uint8) int { return int(y) - int(x) })
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(x uint8) bool { return x == 0 })
}
