package scenario

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"

	"github.com/upflab/upflab/internal/scenario/document"
)

// Limits of UEs with IPv6.
const (
	leastPool6, mostPool6 = 32, 64 // length of ue.pool6: a generator counts prefixes in 32 bits
)

// checkFamily checks the families of IP that UEs have.
func checkFamily(s *Scenario, r *report) {
	if s = some(s, func(x *Scenario) bool { return x.UE.Family.IPv6() }); s == nil {
		checkUnusedIPv6(r, "ue.family is ipv4; set ue.family to ipv6 or both", "ue.pool6", "ue.first6", "n6.upf6", "n6.dn6")
		return
	}
	checkWithout6(s, r)
	checkMTU6(s, r, stackKey(s, "ue.family"))
	checkN6IPv6(s, r)
	checkPool6(s, r)
}

// checkUnusedIPv6 blames addresses of IPv6 that nothing is for.
func checkUnusedIPv6(r *report, why string, keys ...string) {
	usual, err := DefaultTree()
	if err != nil {
		return // the built-in file is tested
	}
	for _, key := range keys {
		if n := r.root.Find(key); n != nil && n.At.Source.Rank > document.RankDefaults && !usual.Find(key).Says(n) {
			r.problems = append(r.problems, document.ProblemAt(n.At, key, "%s changes nothing, since %s", key, why))
		}
	}
}

// checkWithout6 refuses what has no traffic of UEs with IPv6. Cases of the kinds behaviour and attack have rules and packets
// of one family each.
func checkWithout6(s *Scenario, r *report) {
	r.clashes(stackKey(s, "ue.family"), s.UE.Family, "ipv4",
		clash{s.Kind == KindBehaviour || s.Kind == KindAttack,
			fmt.Sprintf("cases of kind %s choose the families of their UEs themselves", s.Kind), "kind"},
		clash{s.RAN == RANExternal, "applications at UEs of another RAN (ran: external) are for IPv4", "ran"},
		clash{s.Engine == EngineTRex || s.TRex != nil, "TRex is given streams of IPv4 UEs", "engine"},
		clash{s.Hosts != nil, "hosts that generate together send for IPv4 UEs", "hosts"})
}

// leastMTU6 is what each link of IPv6 carries (RFC 8200 clause 5): Linux gives a device with less no IPv6.
const leastMTU6 = 1280

// checkMTU6 refuses an MTU at which links have no IPv6.
func checkMTU6(s *Scenario, r *report, key string) {
	if s.MTU > 0 && s.MTU < leastMTU6 {
		r.blame("mtu is %d, and IPv6 (%s) needs %d at least; raise mtu", []any{s.MTU, key, leastMTU6}, "mtu", key)
	}
}

// checkN6IPv6 checks both ends of N6.
func checkN6IPv6(s *Scenario, r *report) {
	checkLink6(r, end{"n6.upf6", s.N6.UPF6}, end{"n6.dn6", s.N6.DN6})
}

// checkLink6 checks the IPv6 addresses of two ends of a link, and reports whether they are right.
func checkLink6(r *report, a, b end) bool {
	for _, e := range []end{a, b} {
		if !isHost6(e.addr) {
			r.blame("%s %s is not the address of a host; use one such as 2001:db8:16::1", []any{e.key, e.addr}, e.key)
			return false
		}
	}
	switch {
	case a.addr == b.addr:
		r.blame("%s and %s are both %s; each end needs its own address", []any{a.key, b.key, a.addr}, a.key, b.key)
	case !prefix64(a.addr).Contains(b.addr):
		r.blame("%s %s and %s %s are not in one /64 subnet; change an address", []any{a.key, a.addr, b.key, b.addr}, b.key, a.key)
	default:
		return true
	}
	return false
}

// checkPool6 checks the prefixes of the UEs.
func checkPool6(s *Scenario, r *report) {
	pool, first, n6 := s.UE.Pool6, s.UE.First6, prefix64(s.N6.UPF6)
	switch {
	case pool.Bits() < leastPool6 || pool.Bits() > mostPool6:
		r.blame("ue.pool6 %s is a /%d; each UE has its own /64, so use a pool of /%d to /%d", []any{pool, pool.Bits(), leastPool6, mostPool6}, "ue.pool6")
	case !isHost6(pool.Addr()):
		r.blame("ue.pool6 %s holds addresses that no host has; use one such as 2001:db8:45::/48", []any{pool}, "ue.pool6")
	case !pool.Contains(first):
		r.blame("ue.first6 %s is not in ue.pool6 %s; the pool begins at %s", []any{first, pool, pool.Addr()}, "ue.first6", "ue.pool6")
	case interfaceID(first) == 0:
		r.blame("ue.first6 %s is the address of a prefix; use one after it, such as %s", []any{first, first.Next()}, "ue.first6")
	case pool.Overlaps(n6):
		r.blame("ue.pool6 %s and n6 (%s) overlap; give the UEs their own subnet", []any{pool, n6}, "ue.pool6", "n6.upf6")
	default:
		checkRoom(s, r, room6(pool, first), fmt.Sprintf("ue.pool6 %s has %d prefixes of /64 from ue.first6 %s on", pool, room6(pool, first), first),
			func(ues int) string { return widerPool6(pool, first, ues) }, "ue.pool6", "ue.first6")
	}
}

// isHost6 reports whether an address, or prefix, is global unicast: no link-local, multicast or loopback one.
func isHost6(a netip.Addr) bool { return a.IsGlobalUnicast() }

func prefix64(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, 64).Masked() }

func interfaceID(a netip.Addr) uint64 { b := a.As16(); return binary.BigEndian.Uint64(b[8:]) }

// number64 is the prefix of 64 bits of an address.
func number64(a netip.Addr) uint64 { b := a.As16(); return binary.BigEndian.Uint64(b[:]) }

// room6 is how many prefixes of 64 bits are in a pool from that of first on.
func room6(pool netip.Prefix, first netip.Addr) uint64 {
	last := number64(pool.Masked().Addr()) | (1<<(64-pool.Bits()) - 1)
	return last - number64(first) + 1
}

// widerPool6 is a pool that would hold the sessions, as advice.
func widerPool6(pool netip.Prefix, first netip.Addr, sessions int) string {
	for bits := pool.Bits(); bits >= leastPool6; bits-- {
		wider := netip.PrefixFrom(pool.Addr(), bits).Masked()
		if room6(wider, first) >= uint64(sessions) {
			return fmt.Sprintf("a pool of /%d such as %s", bits, wider)
		}
	}
	return "a lower ue.first6 in a larger ue.pool6"
}

// Of are the addresses of the UE of a session: that of its family or, of both, the IPv4 and the IPv6 one.
func (u UE) Of(session int) (ue, ue6 netip.Addr) {
	if u.Family.IPv6() {
		b := u.First6.As16()
		binary.BigEndian.PutUint64(b[:], binary.BigEndian.Uint64(b[:])+uint64(session))
		ue6 = netip.AddrFrom16(b)
	}
	if !u.Family.IPv4() {
		return ue6, netip.Addr{}
	}
	return address(number(u.First) + uint32(session)), ue6
}

// Room is how many UEs have addresses.
func (u UE) Room() int {
	room := int64(math.MaxInt32)
	if u.Family.IPv4() {
		room = Room(u.Pool, u.First)
	}
	if u.Family.IPv6() {
		room = int64(min(uint64(room), room6(u.Pool6, u.First6)))
	}
	return int(room)
}
