package traffic

import "net/netip"

// Layout is where an IP header without options or extension headers has its addresses,
// octets from its start.
type Layout struct {
	Bytes               int // of the header
	Source, Destination int
	Address             int // octets of an address
}

// LayoutOf is the layout of packets from and to an address, which is that of RFC 791 or RFC 8200.
func LayoutOf(a netip.Addr) Layout {
	if a.Is6() {
		return Layout{Bytes: ip6Bytes, Source: 8, Destination: 24, Address: 16}
	}
	return Layout{Bytes: ipBytes, Source: 12, Destination: 16, Address: 4}
}

// Outer is the layout of the outer headers on N3.
func (f *Flow) Outer() Layout { return LayoutOf(f.UPF) }

// GNBAt is where an outer header has the address at the gNB's end: that of the source of G-PDUs that the
// gNB sends, else that of the destination.
func (l Layout) GNBAt(fromGNB bool) int {
	if fromGNB {
		return l.Source
	}
	return l.Destination
}

// UEAt is where the header of a packet of the flow has the UE's address.
func (f *Flow) UEAt(l Layout) int {
	if f.Uplink() {
		return l.Source
	}
	return l.Destination
}

// Families are the families of IP that the streams' UEs have.
type Families uint8

// The families, which are or-ed.
const (
	IPv4 Families = 1 << iota
	IPv6
)

// FamilyOf is the family of an address.
func FamilyOf(a netip.Addr) Families {
	if a.Is6() {
		return IPv6
	}
	return IPv4
}

// Families are those of all streams.
func (f *Flow) Families() (all Families) {
	for _, s := range f.Streams {
		all |= FamilyOf(s.UE)
	}
	return all
}

// Kinds are the first streams of each family, that of IPv4 before that of IPv6: the frames of all
// others differ from theirs in addresses, TEID and container alone.
func (f *Flow) Kinds() (list []Stream) {
	for _, family := range []Families{IPv4, IPv6} {
		for _, s := range f.Streams {
			if FamilyOf(s.UE) == family {
				list = append(list, s)
				break
			}
		}
	}
	return list
}

// DNOf is the data network's address of a stream.
func (f *Flow) DNOf(s Stream) netip.Addr {
	if s.UE.Is6() {
		return f.DN6
	}
	return f.DN
}
