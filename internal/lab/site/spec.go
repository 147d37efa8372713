package site

import (
	"net"
	"net/netip"
)

// Spec says what to build.
type Spec struct {
	Run string // short id, unique on the host
	N3  LinkSpec
	N4  LinkSpec
	N6  LinkSpec
	MTU int // of N3 and N6, bytes
	// Queues is how many receive queues both ends of N3 and N6 have where they are veth pairs or
	// physical ports; 0 means 1, which of a physical port leaves what it has.
	Queues  int
	Spread  SpreadKind     // over the queues of physical ports
	UEPools []netip.Prefix // of the UEs, IPv4 and IPv6
}

// LinkSpec describes one reference point.
type LinkSpec struct {
	Tester, UPF netip.Addr
	// Tester6 and UPF6 are the IPv6 addresses of the ends, in one /64; invalid: there is none.
	Tester6, UPF6 netip.Addr
	More          []netip.Addr // further addresses of the tester's end
	More6         []netip.Addr // likewise, of IPv6
	Prefix        int
	Kind          Kind // "": Veth
	// Device and TesterDevice of the host become the ends of a Physical link.
	Device, TesterDevice string
	// Elsewhere are the tester's ends of a Physical link where they are on other hosts; the
	// first one has the address Tester, and there is no TesterDevice then.
	Elsewhere []End
}

// End is the port of another host.
type End struct {
	Addr netip.Addr
	MAC  net.HardwareAddr
}

// Bridged reports whether the link has a device between its ends.
func (s LinkSpec) Bridged() bool { return s.Kind == Bridge || s.Kind == Macvlan }

// SpreadKind is what spreads G-PDUs over the queues of N3's physical ports.
type SpreadKind string

// The kinds of spread.
const (
	SpreadAuto  SpreadKind = ""          // a hash of the TEID where the NIC can and there are several queues
	SpreadNIC   SpreadKind = "nic"       // whatever the NIC does
	SpreadHash  SpreadKind = "teid_hash" // a hash of the TEID, or an error
	SpreadRules SpreadKind = "teid_rules"
)

// Kind is how a link is made.
type Kind string

// The kinds of link; the zero value is a veth pair.
const (
	Veth Kind = "veth"
	// Bridge is a veth pair on each side of a Linux bridge, which is in a namespace
	// of its own.
	Bridge Kind = "bridge"
	// Macvlan gives the UPF a macvlan device in bridge mode, on one end of a veth pair.
	Macvlan Kind = "macvlan"
	// Physical moves named devices of the host into the namespaces.
	Physical Kind = "physical"
)
