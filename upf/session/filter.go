package session

import "net/netip"

// Filter is an SDF filter (TS 29.244 clause 8.2.5, IPFilterRule of RFC 6733 clause
// 4.3.1 as TS 29.212 clause 5.4.2 narrows it). It speaks of the UE's end and the
// other end, so that it reads the same for both directions. What is zero, invalid
// or empty matches every packet.
type Filter struct {
	// ID is the SDF Filter ID, by which another PDR of the session may refer to the
	// filter (clause 5.2.1A.2A, bidirectional); 0 when it has none.
	ID uint32
	// Remote and Local are the addresses of the other end and of the UE's end.
	Remote, Local netip.Prefix
	// RemotePorts and LocalPorts are alternatives. A packet without ports, as a
	// fragment after the first, matches no port.
	RemotePorts, LocalPorts []Ports
	Protocol                uint8
	HasProtocol             bool
	// TOS is compared under TOSMask: the IPv4 type of service or the IPv6 traffic class.
	TOS, TOSMask uint8
	// SPI is that of an ESP or AH header.
	SPI    uint32
	HasSPI bool
	// FlowLabel is the Flow Label of the IPv6 header, 20 bits.
	FlowLabel    uint32
	HasFlowLabel bool
}

// Ports is a range of port numbers, both ends included.
type Ports struct{ Low, High uint16 }

// MatchesAll reports whether every packet passes the filter.
func (f *Filter) MatchesAll() bool {
	return !f.Remote.IsValid() && !f.Local.IsValid() && len(f.RemotePorts) == 0 && len(f.LocalPorts) == 0 &&
		!f.HasProtocol && f.TOSMask == 0 && !f.HasSPI && !f.HasFlowLabel
}

// Passes reports whether packets of the family can pass the filter at all.
func (f *Filter) Passes(ipv6 bool) bool {
	if f.HasFlowLabel && !ipv6 {
		return false
	}
	return !(f.Remote.IsValid() && f.Remote.Addr().Is4() == ipv6) && !(f.Local.IsValid() && f.Local.Addr().Is4() == ipv6)
}

// QFISet is a set of QoS flow identifiers 0..63; empty when none is asked for.
type QFISet uint64

// QFIs makes a set.
func QFIs(list ...uint8) (s QFISet) {
	for _, qfi := range list {
		s |= 1 << qfi
	}
	return s
}

// Has reports whether the set has the QFI.
func (s QFISet) Has(qfi uint8) bool { return s>>qfi&1 != 0 }
