package scenario

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// link is two ends of one subnet, with the keys that say so.
type link struct {
	section string
	a, b    end
	prefix  int
}

type end struct {
	key  string
	addr netip.Addr
}

func (l link) subnet() netip.Prefix { return netip.PrefixFrom(l.a.addr, l.prefix).Masked() }

func linksOf(s *Scenario) []link {
	return []link{
		{"n3", end{"n3.gnb", s.N3.GNB}, end{"n3.upf", s.N3.UPF}, s.N3.Prefix},
		{"n4", end{"n4.smf", s.N4.SMF}, end{"n4.upf", s.N4.UPF}, s.N4.Prefix},
		{"n6", end{"n6.upf", s.N6.UPF}, end{"n6.dn", s.N6.DN}, s.N6.Prefix},
	}
}

func checkAddresses(s *Scenario, r *report) {
	if s.RAN == RANExternal { // its links and UEs are the core's; the servers are at n6.dn
		checkHost(r, end{"n6.dn", s.N6.DN}, netip.PrefixFrom(s.N6.DN, s.N6.DN.BitLen()), "n6.prefix")
		return
	}
	links := linksOf(s)
	for _, l := range links {
		checkLink(r, l)
	}
	checkUEPool(s, r)
	checkOverlaps(s, r, links)
}

func checkLink(r *report, l link) {
	prefix := l.section + ".prefix"
	if l.a.addr == l.b.addr {
		r.blame("%s and %s are both %s; each end needs its own address", []any{l.a.key, l.b.key, l.a.addr}, l.a.key, l.b.key)
		return
	}
	if !l.subnet().Contains(l.b.addr) {
		r.blame("%s %s and %s %s are not in one /%d subnet; change an address or %s",
			[]any{l.a.key, l.a.addr, l.b.key, l.b.addr, l.prefix, prefix}, l.b.key, l.a.key, prefix)
	}
	for _, e := range []end{l.a, l.b} {
		checkHost(r, e, netip.PrefixFrom(e.addr, l.prefix).Masked(), prefix)
	}
}

// checkHost refuses what cannot be the address of one host.
func checkHost(r *report, e end, subnet netip.Prefix, prefixKey string) {
	switch {
	case !isHost(e.addr):
		r.blame("%s %s is not the address of a host; use one of a private network, such as 192.168.13.131", []any{e.key, e.addr}, e.key)
	case subnet.Bits() < 31 && (e.addr == subnet.Addr() || e.addr == lastAddr(subnet)):
		r.blame("%s %s is the network or broadcast address of %s; use one between them", []any{e.key, e.addr, subnet}, e.key, prefixKey)
	}
}

// isHost excludes 0/8, 127/8, link-local, multicast and reserved addresses
// (RFC 6890).
func isHost(a netip.Addr) bool {
	first := a.As4()[0]
	return first != 0 && first < 224 && !a.IsLoopback() && !a.IsLinkLocalUnicast()
}

func checkUEPool(s *Scenario, r *report) {
	pool, first := s.UE.Pool, s.UE.First
	if !isHost(pool.Addr()) || !isHost(lastAddr(pool)) {
		r.blame("ue.pool %s holds addresses that no host has; use a private network, such as 10.45.0.0/16", []any{pool}, "ue.pool")
		return
	}
	if !pool.Contains(first) {
		r.blame("ue.first %s is not in ue.pool %s; the pool begins at %s", []any{first, pool, pool.Addr()}, "ue.first", "ue.pool")
		return
	}
	if pool.Bits() < 31 && first == pool.Addr() {
		r.blame("ue.first %s is the network address of ue.pool %s; begin at %s or later", []any{first, pool, first.Next()}, "ue.first", "ue.pool")
	}
	if room := Room(pool, first); s.UE.Family.IPv4() {
		checkRoom(s, r, uint64(room), fmt.Sprintf("ue.pool %s has %d addresses from ue.first %s on", pool, room, first),
			func(ues int) string { return widerPool(pool, first, ues) }, "ue.pool", "ue.first")
	}
}

// checkRoom refuses more UEs than a pool has addresses for, of which has says how many there are; wider is a pool that has
// enough.
func checkRoom(s *Scenario, r *report, room uint64, has string, wider func(ues int) string, keys ...string) {
	if uint64(s.Sessions) > room {
		r.blame("sessions %d do not fit: %s; use at most %d sessions, or %s", []any{s.Sessions, has, room, wider(s.Sessions)},
			append([]string{"sessions"}, keys...)...)
		return
	}
	for _, x := range s.Control.ues(s.Sessions) {
		if uint64(x.ues) > room {
			r.blame("%s has %d UEs at once, and %s; lower it, or use %s", []any{x.key, x.ues, has, wider(x.ues)},
				append([]string{x.key}, keys...)...)
		}
	}
}

// Room is how many UEs fit into pool from first on, the broadcast address
// left out.
func Room(pool netip.Prefix, first netip.Addr) int64 {
	room := int64(number(lastAddr(pool))) - int64(number(first)) + 1
	if pool.Bits() < 31 {
		room--
	}
	return room
}

// widerPool is a pool that would hold the sessions, as advice.
func widerPool(pool netip.Prefix, first netip.Addr, sessions int) string {
	for bits := pool.Bits(); bits >= 8; bits-- {
		wider := netip.PrefixFrom(pool.Addr(), bits).Masked()
		if Room(wider, first) >= int64(sessions) {
			return fmt.Sprintf("a pool of /%d such as %s", bits, wider)
		}
	}
	return "a lower ue.first in a larger ue.pool"
}

// checkOverlaps refuses subnets that share addresses: a route to one would take the
// other's packets.
func checkOverlaps(s *Scenario, r *report, links []link) {
	for i, l := range links {
		if l.subnet().Overlaps(s.UE.Pool) {
			r.blame("ue.pool %s and %s (%s) overlap; give the UEs their own subnet",
				[]any{s.UE.Pool, l.section, l.subnet()}, "ue.pool", l.a.key, l.b.key, l.section+".prefix")
		}
		for _, m := range links[:i] {
			if l.subnet().Overlaps(m.subnet()) {
				r.blame("%s (%s) and %s (%s) overlap; give each link its own subnet",
					[]any{m.section, m.subnet(), l.section, l.subnet()},
					m.a.key, m.b.key, l.a.key, l.b.key, m.section+".prefix", l.section+".prefix")
			}
		}
	}
}

func number(a netip.Addr) uint32 {
	four := a.As4()
	return binary.BigEndian.Uint32(four[:])
}

func address(n uint32) netip.Addr {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], n)
	return netip.AddrFrom4(four)
}

func lastAddr(p netip.Prefix) netip.Addr {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], number(p.Masked().Addr())|uint32(uint64(1)<<(32-p.Bits())-1))
	return netip.AddrFrom4(four)
}
