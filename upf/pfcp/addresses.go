package pfcp

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// addresses gives UEs addresses out, and knows which session has which. An address that
// was given back is given again after all others.
type addresses struct {
	mu    sync.Mutex
	pools []*addressPool
	owner map[netip.Prefix]uint64 // of the pools' addresses, to the UP function's SEID
}

// addressPool is IPv4 addresses, or IPv6 prefixes of 64 bits, in order.
type addressPool struct {
	prefix      netip.Prefix
	unit        int // bits of what one UE gets
	next, count uint64
	released    []netip.Prefix // the longest free one first
}

// newAddresses makes pools of prefixes. Of one of IPv4, the first and the last address are
// not given out, unless it has two at most.
func newAddresses(prefixes []netip.Prefix) *addresses {
	a := &addresses{owner: map[netip.Prefix]uint64{}}
	for _, p := range prefixes {
		pool := &addressPool{prefix: p.Masked(), unit: 64}
		if p.Addr().Is4() {
			pool.unit = 32
		}
		pool.count = 1 << min(pool.unit-p.Bits(), 62)
		if pool.unit == 32 && pool.count > 2 {
			pool.next, pool.count = 1, pool.count-1
		}
		a.pools = append(a.pools, pool)
	}
	return a
}

// has reports whether addresses of the family are given out.
func (a *addresses) has(ipv6 bool) bool {
	for _, p := range a.pools {
		if p.prefix.Addr().Is6() == ipv6 {
			return true
		}
	}
	return false
}

// choose gives a session an address, or prefix; not ok when all are taken.
func (a *addresses) choose(seid uint64, ipv6 bool) (one netip.Prefix, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.pools {
		if p.prefix.Addr().Is6() != ipv6 {
			continue
		}
		for {
			if one, ok = p.draw(); !ok {
				break
			}
			if _, taken := a.owner[one]; !taken {
				a.owner[one] = seid
				return one, true
			}
		}
	}
	return one, false
}

// draw is the next address that may be free.
func (p *addressPool) draw() (one netip.Prefix, ok bool) {
	if p.next < p.count {
		p.next++
		return p.at(p.next - 1), true
	}
	if len(p.released) == 0 {
		return one, false
	}
	one, p.released = p.released[0], p.released[1:]
	return one, true
}

// at is the address with an index.
func (p *addressPool) at(i uint64) netip.Prefix {
	if p.unit == 32 {
		b := p.prefix.Addr().As4()
		binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+uint32(i))
		return netip.PrefixFrom(netip.AddrFrom4(b), 32)
	}
	b := p.prefix.Addr().As16()
	binary.BigEndian.PutUint64(b[:], binary.BigEndian.Uint64(b[:])+i)
	return netip.PrefixFrom(netip.AddrFrom16(b), 64)
}

// index is at's inverse.
func (p *addressPool) index(one netip.Prefix) uint64 {
	if p.unit == 32 {
		a, b := one.Addr().As4(), p.prefix.Addr().As4()
		return uint64(binary.BigEndian.Uint32(a[:]) - binary.BigEndian.Uint32(b[:]))
	}
	a, b := one.Addr().As16(), p.prefix.Addr().As16()
	return binary.BigEndian.Uint64(a[:]) - binary.BigEndian.Uint64(b[:])
}

// poolOf is the pool that gives the address out, nil when none does.
func (a *addresses) poolOf(one netip.Prefix) *addressPool {
	for _, p := range a.pools {
		if one.Bits() == p.unit && p.prefix.Contains(one.Addr()) {
			return p
		}
	}
	return nil
}

// claim takes an address that the CP function gave, where a pool has it; not ok when
// another session has it. It is fresh when the session did not have it before.
func (a *addresses) claim(one netip.Prefix, seid uint64) (fresh, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.poolOf(one) == nil {
		return false, true
	}
	owner, taken := a.owner[one]
	if !taken {
		a.owner[one] = seid
	}
	return !taken, !taken || owner == seid
}

// free gives addresses of the pools back.
func (a *addresses) free(list []netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range list {
		if _, taken := a.owner[one]; !taken {
			continue
		}
		delete(a.owner, one)
		if p := a.poolOf(one); p != nil && p.index(one) < p.next {
			p.released = append(p.released, one)
		}
	}
}

// addressesOf lists the UE addresses of rules, which may be nil.
func addressesOf(r *session.Rules) (list []netip.Prefix) {
	if r == nil {
		return nil
	}
	for i := range r.PDRs {
		list = appendAddresses(list, &r.PDRs[i].PDI)
	}
	for i := range r.Endpoints {
		list = appendAddresses(list, &r.Endpoints[i].PDI)
	}
	return list
}

func appendAddresses(list []netip.Prefix, p *session.PDI) []netip.Prefix {
	if p.UE.IsValid() {
		list = append(list, netip.PrefixFrom(p.UE, p.UE.BitLen()))
	}
	if p.UE6.IsValid() {
		list = append(list, p.UE6)
	}
	return list
}

// causeAddressesOccupied is "All dynamic addresses are occupied" (TS 29.244 clause 8.2.1).
const causeAddressesOccupied = 79

// lease is what one request does to the UE addresses of a session: claimed while the
// rules are made, kept or given back with them.
type lease struct {
	addresses *addresses
	seid      uint64
	given     [2]netip.Prefix // that the session was given here, of IPv4 and IPv6
	claimed   []netip.Prefix
}

// place sets a PDI's addresses where they are to be chosen, and claims all of them. All
// PDRs of a session for which one is to be chosen have the same.
func (l *lease) place(ask *pdi, to *session.PDI, failure failing) error {
	for i, choose := range ask.chooseUE {
		if !choose {
			continue
		}
		one, err := l.choose(i == 1, failure)
		if err != nil {
			return err
		}
		if i == 0 {
			to.UE = one.Addr()
		} else {
			to.UE6 = one
		}
	}
	for _, one := range appendAddresses(nil, to) {
		fresh, ok := l.addresses.claim(one, l.seid)
		if !ok {
			return failure("UE address %v belongs to another session", one)
		}
		if fresh {
			l.claimed = append(l.claimed, one)
		}
	}
	return nil
}

func (l *lease) choose(ipv6 bool, failure failing) (netip.Prefix, error) {
	has, family := &l.given[0], "IPv4"
	if ipv6 {
		has, family = &l.given[1], "IPv6"
	}
	if has.IsValid() {
		return *has, nil
	}
	if !l.addresses.has(ipv6) {
		return netip.Prefix{}, failure("the UPF allocates no %s addresses of UEs: give one, or set allocate_ue", family)
	}
	one, ok := l.addresses.choose(l.seid, ipv6)
	if !ok {
		return one, &rejection{cause: causeAddressesOccupied, reason: "all " + family + " addresses of allocate_ue are taken"}
	}
	*has = one
	l.claimed = append(l.claimed, one)
	return one, nil
}

// addressesGiven are the UE addresses that were chosen for the session.
func (p *pduSession) addressesGiven() (list [2]netip.Prefix) {
	if p.given != nil {
		list = *p.given
	}
	return list
}

func (p *pduSession) giveAddresses(list [2]netip.Prefix) {
	if p.given = nil; list != [2]netip.Prefix{} {
		p.given = &list
	}
}

// rollback gives back what the request claimed.
func (l *lease) rollback() { l.addresses.free(l.claimed) }

// settle frees the addresses that the session had, or claimed in this request, and that
// its rules do not have now.
func (l *lease) settle(old, now *session.Rules) {
	kept := addressesOf(now)
	l.addresses.free(slices.DeleteFunc(append(addressesOf(old), l.claimed...),
		func(one netip.Prefix) bool { return slices.Contains(kept, one) }))
	for i := range l.given {
		if !slices.Contains(kept, l.given[i]) {
			l.given[i] = netip.Prefix{}
		}
	}
}

// ueIP is the UE IP Address IE with the addresses that were chosen; nil when none was.
func ueIP(p *session.PDI, chosen [2]bool) *ie.IE {
	b := []byte{0}
	if chosen[0] {
		b[0] |= ueV4
		b = append(b, p.UE.AsSlice()...)
	}
	if chosen[1] {
		b[0] |= ueV6
		b = append(b, p.UE6.Addr().AsSlice()...)
	}
	if b[0] == 0 {
		return nil
	}
	return ie.New(ie.UEIPAddress, b)
}
