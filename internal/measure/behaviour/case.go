package behaviour

import (
	"net/netip"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/scenario"
)

// Case is one row of the matrix.
type Case struct {
	ID     string // stable: "qer.gate.uplink"
	Title  string // what a UPF does that is right
	Clause string // where that is asked for
	Need   Need
	// Steps are the rules and packets for the UEs and addresses of a lab.
	Steps func(*Fixture) []Step
	// Both: it is there a second time for UEs with IPv6, with ipv6. before its ID.
	Both bool
	// Family is that of its UEs; "": IPv4, or what the scenario says.
	Family scenario.Family
	// Upsets: the association or other sessions are gone afterwards.
	Upsets bool
	// Keeps is the file name extension of what the case itself keeps of a finding, in place
	// of a capture: ".yaml".
	Keeps string
	// Lasts is about how long it takes where that is over a second.
	Lasts time.Duration
}

// Group is the part of the ID before the first dot.
func (c *Case) Group() string {
	group, _, _ := strings.Cut(c.ID, ".")
	return group
}

// Step is one thing that a case does and what has to come of it.
type Step struct {
	Text string // "establish", "send", for people
	Do   func(*T) error
}

// UE is a user equipment with a session of its own.
type UE struct {
	Index  int // in its case, from 0
	Addr   netip.Addr
	Second netip.Addr // the IPv6 address of one that has both families: packets take turns; invalid: it has Addr alone
	Addr6  netip.Addr // that cases of IPv4 UEs can give it
	TEID   uint32     // at the UPF
	Tunnel uint32     // at the gNB
	N3     netip.Addr // where it is sent to
	GNB    netip.Addr // where downlink packets go
	asked  uint32     // that the case's rules have, where the UPF has chosen another TEID; 0: none
}

// Sample is a fixture of documentation addresses, for showing what a case does.
func Sample() *Fixture {
	net := Net{
		SMF: netip.MustParseAddr("192.0.2.4"), UPFN4: netip.MustParseAddr("192.0.2.5"), UPF: netip.MustParseAddr("192.0.2.3"),
		GNB: [2]netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")},
		DN:  [2]netip.Addr{netip.MustParseAddr("198.51.100.10"), netip.MustParseAddr("198.51.100.20")},
		UEs: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: netip.MustParseAddr("10.45.0.2")},
		MTU: 1600, Instance: "internet",
		UPFN6: netip.MustParseAddr("198.51.100.3"), N6Port: 4000,
		Six: Net6{netip.MustParseAddr("2001:db8:3::3"), netip.MustParseAddr("2001:db8:3::1"),
			netip.MustParseAddr("2001:db8:6::3"), netip.MustParseAddr("2001:db8:6::1")},
	}
	for last := byte(11); last < 19; last++ {
		net.NewGNBs = append(net.NewGNBs, netip.AddrFrom4([4]byte{192, 0, 2, last}))
	}
	for n := byte(21); n < 53; n++ {
		net.Hosts = append(net.Hosts, netip.AddrFrom4([4]byte{198, 51, 100, n}))
	}
	b := &Bench{}
	return b.fixtureOf(net)
}
