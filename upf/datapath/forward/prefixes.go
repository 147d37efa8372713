package forward

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// prefixes finds the longest IPv6 prefix of a UE that has an address: one lookup for each
// length that there is. IPv4 networks behind UEs are there as IPv4-mapped ones (RFC 4291 clause
// 2.5.5.2).
type prefixes struct {
	rules   map[prefix6]*rule
	lengths []length6 // the longest first
}

type prefix6 struct {
	address address6
	bits    uint8
}

type length6 struct {
	bits  uint8
	count int
	mask  address6
}

// address6 is an IPv6 address, or a mask of one, as two numbers.
type address6 [2]uint64

func numbers6(b [16]byte) address6 {
	return address6{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func mask6(bits int) (m address6) {
	m[0] = ^uint64(0) << (64 - min(bits, 64))
	m[1] = ^uint64(0) << (128 - max(bits, 64))
	return m
}

func (a address6) under(m address6) address6 { return address6{a[0] & m[0], a[1] & m[1]} }

func keyOf6(p netip.Prefix) prefix6 { return prefix6{numbers6(p.Addr().As16()), uint8(p.Bits())} }

// mapped is a prefix of an IPv6 address, IPv4-mapped if need be.
func mapped(p netip.Prefix) netip.Prefix {
	if p.Addr().Is6() {
		return p
	}
	return netip.PrefixFrom(netip.AddrFrom16(p.Addr().As16()), p.Bits()+96)
}

// isMapped reports whether an address is IPv4-mapped.
func isMapped(a [16]byte) bool { return [12]byte(a[:12]) == [12]byte{10: 0xff, 11: 0xff} }

func (x *prefixes) find(to [16]byte) *rule {
	a := numbers6(to)
	for i := range x.lengths {
		l := &x.lengths[i]
		if r := x.rules[prefix6{a.under(l.mask), l.bits}]; r != nil {
			return r
		}
	}
	return nil
}

func (x *prefixes) add(p netip.Prefix, r *rule) {
	k := keyOf6(p)
	x.rules[k] = r
	i, found := slices.BinarySearchFunc(x.lengths, k.bits, func(l length6, bits uint8) int { return int(bits) - int(l.bits) })
	if !found {
		x.lengths = slices.Insert(x.lengths, i, length6{bits: k.bits, mask: mask6(int(k.bits))})
	}
	x.lengths[i].count++
}

func (x *prefixes) remove(p netip.Prefix) {
	k := keyOf6(p)
	delete(x.rules, k)
	i := slices.IndexFunc(x.lengths, func(l length6) bool { return l.bits == k.bits })
	if x.lengths[i].count--; x.lengths[i].count == 0 {
		x.lengths = slices.Delete(x.lengths, i, i+1)
	}
}
