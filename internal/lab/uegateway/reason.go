package uegateway

import (
	"fmt"
	"iter"
)

// Reason is why the gNB dropped a packet.
type Reason uint8

// The reasons, as in bpf/counters.h.
const (
	UnknownUE Reason = iota
	NotIP
	Uncut
	TooBig
	NoRoom
	Malformed
	Fragment
	UnknownTEID
	WrongUE
	reasons
)

// String is for people.
func (r Reason) String() string {
	names := [reasons]string{
		"uplink: the source address is no UE's",
		"uplink: neither an IPv4 nor an IPv6 packet",
		"uplink: a segment that the kernel did not cut to the MTU",
		"uplink: with GTP-U's headers longer than N3's MTU",
		"the outer headers could not be put on or taken off",
		"downlink: malformed",
		"downlink: the UPF sent the G-PDU in fragments: its N3 MTU is too small for what arrives on N6",
		"downlink: unknown TEID",
		"downlink: the packet is for another UE than its tunnel",
	}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// Reasons are all of them, in order.
func Reasons() iter.Seq[Reason] {
	return func(yield func(Reason) bool) {
		for r := range reasons {
			if !yield(r) {
				return
			}
		}
	}
}
