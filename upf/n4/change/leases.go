package change

import (
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/keys"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// causeAddressesOccupied is "All dynamic addresses are occupied" (TS 29.244 clause 8.2.1).
const causeAddressesOccupied = 79

// Lease is what one request does to the UE addresses of a session: claimed while the
// rules are made, kept or given back with them.
type Lease struct {
	Addresses *keys.Addresses
	seid      uint64
	Given     [2]netip.Prefix // that the session was given here, of IPv4 and IPv6
	claimed   []netip.Prefix
}

// place sets a PDI's addresses where they are to be chosen, and claims all of them. All
// PDRs of a session for which one is to be chosen have the same.
func (l *Lease) place(ask *request.PDI, to *session.PDI, failure request.Failing) error {
	for i, choose := range ask.ChooseUE {
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
	for _, one := range keys.AppendAddresses(nil, to) {
		fresh, ok := l.Addresses.Claim(one, l.seid)
		if !ok {
			return failure("UE address %v belongs to another session", one)
		}
		if fresh {
			l.claimed = append(l.claimed, one)
		}
	}
	return nil
}

func (l *Lease) choose(ipv6 bool, failure request.Failing) (netip.Prefix, error) {
	has, family := &l.Given[0], "IPv4"
	if ipv6 {
		has, family = &l.Given[1], "IPv6"
	}
	if has.IsValid() {
		return *has, nil
	}
	if !l.Addresses.Has(ipv6) {
		return netip.Prefix{}, failure("the UPF allocates no %s addresses of UEs: give one, or set allocate_ue", family)
	}
	one, ok := l.Addresses.Choose(l.seid, ipv6)
	if !ok {
		return one, &request.Rejection{Cause: causeAddressesOccupied, Reason: "all " + family + " addresses of allocate_ue are taken"}
	}
	*has = one
	l.claimed = append(l.claimed, one)
	return one, nil
}

// rollback gives back what the request claimed.
func (l *Lease) rollback() { l.Addresses.Free(l.claimed) }

// settle frees the addresses that the session had, or claimed in this request, and that
// its rules do not have now.
func (l *Lease) settle(old, now *session.Rules) {
	kept := keys.AddressesOf(now)
	l.Addresses.Free(slices.DeleteFunc(append(keys.AddressesOf(old), l.claimed...),
		func(one netip.Prefix) bool { return slices.Contains(kept, one) }))
	for i := range l.Given {
		if !slices.Contains(kept, l.Given[i]) {
			l.Given[i] = netip.Prefix{}
		}
	}
}

// ueIP is the UE IP Address IE with the addresses that were chosen; nil when none was.
func ueIP(p *session.PDI, chosen [2]bool) *ie.IE {
	b := []byte{0}
	if chosen[0] {
		b[0] |= request.UEV4
		b = append(b, p.UE.AsSlice()...)
	}
	if chosen[1] {
		b[0] |= request.UEV6
		b = append(b, p.UE6.Addr().AsSlice()...)
	}
	if b[0] == 0 {
		return nil
	}
	return ie.New(ie.UEIPAddress, b)
}
