package keys

import (
	"encoding/binary"
	"net/netip"
	"sync"

	"github.com/upflab/upflab/upf/session"
)

// Addresses gives UEs addresses out, and knows which session has which. An address that
// was given back is given again after all others.
type Addresses struct {
	mu    sync.Mutex
	pools []*addressPool
	Owner map[netip.Prefix]uint64 // of the pools' addresses, to the UP function's SEID
}

// addressPool is IPv4 addresses, or IPv6 prefixes of 64 bits, in order.
type addressPool struct {
	prefix      netip.Prefix
	unit        int // bits of what one UE gets
	next, count uint64
	released    []netip.Prefix // the longest free one first
}

// NewAddresses makes pools of prefixes. Of one of IPv4, the first and the last address are
// not given out, unless it has two at most.
func NewAddresses(prefixes []netip.Prefix) *Addresses {
	a := &Addresses{Owner: map[netip.Prefix]uint64{}}
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

// Has reports whether addresses of the family are given out.
func (a *Addresses) Has(ipv6 bool) bool {
	for _, p := range a.pools {
		if p.prefix.Addr().Is6() == ipv6 {
			return true
		}
	}
	return false
}

// Choose gives a session an address, or prefix; not ok when all are taken.
func (a *Addresses) Choose(seid uint64, ipv6 bool) (one netip.Prefix, ok bool) {
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
			if _, taken := a.Owner[one]; !taken {
				a.Owner[one] = seid
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
func (a *Addresses) poolOf(one netip.Prefix) *addressPool {
	for _, p := range a.pools {
		if one.Bits() == p.unit && p.prefix.Contains(one.Addr()) {
			return p
		}
	}
	return nil
}

// Claim takes an address that the CP function gave, where a pool has it; not ok when
// another session has it. It is fresh when the session did not have it before.
func (a *Addresses) Claim(one netip.Prefix, seid uint64) (fresh, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.poolOf(one) == nil {
		return false, true
	}
	owner, taken := a.Owner[one]
	if !taken {
		a.Owner[one] = seid
	}
	return !taken, !taken || owner == seid
}

// Free gives addresses of the pools back.
func (a *Addresses) Free(list []netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range list {
		if _, taken := a.Owner[one]; !taken {
			continue
		}
		delete(a.Owner, one)
		if p := a.poolOf(one); p != nil && p.index(one) < p.next {
			p.released = append(p.released, one)
		}
	}
}

// AddressesOf lists the UE addresses of rules, which may be nil.
func AddressesOf(r *session.Rules) (list []netip.Prefix) {
	if r == nil {
		return nil
	}
	for i := range r.PDRs {
		list = AppendAddresses(list, &r.PDRs[i].PDI)
	}
	for i := range r.Endpoints {
		list = AppendAddresses(list, &r.Endpoints[i].PDI)
	}
	return list
}

func AppendAddresses(list []netip.Prefix, p *session.PDI) []netip.Prefix {
	if p.UE.IsValid() {
		list = append(list, netip.PrefixFrom(p.UE, p.UE.BitLen()))
	}
	if p.UE6.IsValid() {
		list = append(list, p.UE6)
	}
	return list
}
