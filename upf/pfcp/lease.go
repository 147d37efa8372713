package pfcp

import (
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

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
	l.addresses.free(slices.DeleteFunc(append(addressesOf(old), l.claimed...), func(one netip.Prefix) bool { return slices.Contains(kept, one) }))
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
