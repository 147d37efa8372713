package lab

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/scenario"
)

// tries bounds how many addresses are asked for on a link before it counts as full.
const tries = 16

// plan chooses the addresses that the scenario does not name: a second gNB, hosts of the data
// network, and a second SMF. None is one that the scenario names, the network or broadcast address of
// its subnet, or one that taken says somebody has. What there is no room for is left invalid, and
// Lacks says why. owned is whether the UPF's routes are upflab's: then hosts are behind the data
// network's router, whose kernel answers for none of them; else they are on the link of N6.
func plan(s *scenario.Scenario, owned bool, taken func(point string, a netip.Addr) bool) behaviour.Net {
	n := behaviour.Net{DN: [2]netip.Addr{s.N6.DN}, UEs: s.UE, MTU: s.MTU, Instance: s.N4.NetworkInstance, Foreign: !owned}
	n.SMF, n.UPFN4 = s.N4Ends()
	n.GNB[0], n.UPF = s.N3Ends()
	n.UEs.Pool = s.UE.Pool.Masked()
	if s.UE.Family.IPv6() {
		n.Six.DN = s.N6.DN6
	}
	n3, n4, n6 := subnet(s.N3.GNB, s.N3.Prefix), subnet(s.N4.SMF, s.N4.Prefix), subnet(s.N6.DN, s.N6.Prefix)
	lack := func(a netip.Addr, key, what string, p netip.Prefix) netip.Addr {
		if !a.IsValid() {
			n.Lacks = append(n.Lacks, fmt.Sprintf("%s: %s has no free address; a shorter %s.prefix gives room", what, p, key))
		}
		return a
	}
	if s.Transport.IPv6() {
		n.GNB[1] = after(n.GNB[0], n.UPF)
	} else {
		n.GNB[1] = lack(free("n3", n3, s.N3.GNB.Next(), taken, s.N3.GNB, s.N3.UPF), "n3", "a second gNB", n3)
		if n.GNB[1].IsValid() {
			n.NewGNBs = freeOnes(newGNBs, "n3", n3, n.GNB[1].Next(), taken, []netip.Addr{s.N3.GNB, s.N3.UPF, n.GNB[1]})
		}
	}
	n.Stranger = free("n4", n4, s.N4.SMF.Next(), nil, s.N4.SMF, s.N4.UPF)
	if owned {
		n6 = unused(n3, n4, n6, n.UEs.Pool)
		first := n6.Addr().As4()
		n.DN = [2]netip.Addr{netip.AddrFrom4([4]byte{first[0], first[1], first[2], 10}),
			netip.AddrFrom4([4]byte{first[0], first[1], first[2], 20})}
	} else {
		n.DN[1] = lack(free("n6", n6, opposite(s.N6.DN, n6), taken, s.N6.DN, s.N6.UPF), "n6", "a second host of the data network", n6)
	}
	n.Hosts = among(n6, append(n.DN[:], s.N6.UPF))
	return n
}

// after is the next address of a /64, of IPv6, that is not another one.
func after(a, but netip.Addr) netip.Addr {
	next := a.Next()
	if next == but {
		next = next.Next()
	}
	if !netip.PrefixFrom(a, 64).Masked().Contains(next) { // a is the last one
		return a.Prev()
	}
	return next
}

func subnet(a netip.Addr, length int) netip.Prefix { return netip.PrefixFrom(a, length).Masked() }

// free is the first host address of a subnet, from one on and round, that is not in but and that
// nobody has; invalid: there is none.
func free(point string, p netip.Prefix, from netip.Addr, taken func(string, netip.Addr) bool, but ...netip.Addr) netip.Addr {
	for _, a := range freeOnes(1, point, p, from, taken, but) {
		return a
	}
	return netip.Addr{}
}

// freeOnes are up to most such addresses. Each is asked for once.
func freeOnes(most int, point string, p netip.Prefix, from netip.Addr, taken func(string, netip.Addr) bool,
	but []netip.Addr,
) (list []netip.Addr) {
	for i, a := range hosts(p, from, tries+len(but)+most-1) {
		if len(list) == most || i == tries+len(but)+len(list) {
			break
		}
		if !slices.Contains(but, a) && (taken == nil || !taken(point, a)) {
			list = append(list, a)
		}
	}
	return list
}

// newGNBs are more than the attempts of a case take.
const newGNBs = 8

// hosts are up to most host addresses of a subnet, from one on and round.
func hosts(p netip.Prefix, from netip.Addr, most int) (list []netip.Addr) {
	size := uint64(1) << (32 - p.Bits())
	first, last := uint64(0), size-1
	if size > 2 { // without the network and broadcast addresses (RFC 3021 has none in a /31)
		first, last = 1, size-2
	}
	base, count := uint64(number(p.Addr())), last-first+1
	at := uint64(number(from)) - base
	if at < first || at > last {
		at = first
	}
	for i := range min(count, uint64(most)) {
		list = append(list, address(uint32(base+first+(at-first+i)%count)))
	}
	return list
}

// opposite is an address in the other half of a subnet, so that prefixes of many lengths have one
// of the two and not the other.
func opposite(a netip.Addr, p netip.Prefix) netip.Addr {
	if p.Bits() > 31 {
		return a
	}
	return address(number(a) ^ 1<<(31-p.Bits()))
}

// mostHosts are as many as a case takes.
const mostHosts = 32

// among are hosts of a subnet that packets may seem to come from, but for some.
func among(p netip.Prefix, but []netip.Addr) (list []netip.Addr) {
	for _, a := range hosts(p, but[0], mostHosts+len(but)) {
		if !slices.Contains(but, a) && len(list) < mostHosts {
			list = append(list, a)
		}
	}
	return list
}

// unused is a /24 that overlaps none of some subnets: of the networks for benchmarks and
// documentation (RFC 2544, RFC 5737) where these have room.
func unused(but ...netip.Prefix) netip.Prefix {
	list := []netip.Prefix{netip.MustParsePrefix("198.18.0.0/24"), netip.MustParsePrefix("198.19.0.0/24"),
		netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("198.51.100.0/24")}
	for high := byte(1); high < 224; high++ {
		if high != 127 && high != 169 {
			list = append(list, netip.PrefixFrom(netip.AddrFrom4([4]byte{high, 18, 0, 0}), 24))
		}
	}
	for _, p := range list {
		if !slices.ContainsFunc(but, p.Overlaps) {
			return p
		}
	}
	return list[0] // the scenario's subnets cover every network there is
}

func number(a netip.Addr) uint32 { b := a.As4(); return binary.BigEndian.Uint32(b[:]) }

func address(n uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	return netip.AddrFrom4(b)
}
