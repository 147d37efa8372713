package site

import (
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// Links are the ports at both ends of N3, N4 and N6.
type Links struct {
	GNB   netdev.Port // N3, the tester's end
	UPFN3 netdev.Port
	DNN6  netdev.Port // N6, the tester's end
	UPFN6 netdev.Port
	SMFN4 netdev.Port // N4, the tester's end; not readable where N4 is no link of ours
	UPFN4 netdev.Port

	NICs []record.NIC // physical ports, as they were set up

	// GNB and DNN6 are not readable where they are ports of other hosts.
	// N3Between and N6Between are the ports of a bridge between the ends; nil: none.
	N3Between, N6Between *Between
}

// Between is what is between the two ports of a link: the ports of a bridge.
type Between struct {
	Tester netdev.Port // towards the tester
	UPF    netdev.Port // towards the UPF
}

// Path is where a direction's frames leave, reach the UPF, and arrive.
type Path struct{ Send, UPF, Arrive netdev.Port }

// Path of a direction, uplink or downlink.
func (l *Links) Path(d record.Direction) Path {
	if d == record.Uplink {
		return Path{l.GNB, l.UPFN3, l.DNN6}
	}
	return Path{l.DNN6, l.UPFN6, l.GNB}
}

// Bridges of a direction: those before and behind the UPF; nil where there is none.
func (l *Links) Bridges(d record.Direction) (before, behind *Between) {
	if d == record.Uplink {
		return l.N3Between, l.N6Between
	}
	return l.N6Between, l.N3Between
}

// nativeMTU is the largest MTU of a veth to which native XDP attaches: a frame has to
// fit into a page with its headroom and what the kernel keeps about it.
const nativeMTU = 3506

// NoNativeXDP says why N3 or N6 has none.
const NoNativeXDP = "N3 or N6 has no native XDP: a macvlan device never has, nor a veth with an mtu over 3506"

// NativeXDP reports whether N3 and N6 of the UPF both run XDP programs in the driver:
// a program in one can only then redirect to the other.
func NativeXDP(s Site) bool {
	l := s.Links()
	if !l.UPFN3.Physical && s.Spec().MTU > nativeMTU {
		return false
	}
	return l.UPFN3.XDP().Native() && l.UPFN6.XDP().Native()
}
