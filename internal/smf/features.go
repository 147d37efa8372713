package smf

import "strings"

// Features is the set of UP function features that a UPF offers (TS 29.244
// clause 8.2.25): bit b of octet 5+n is bit 8n+b-1 here, up to octet 12.
type Features uint64

// The features by which a tester decides something.
const (
	BUCP  Features = 1 << 0  // buffering in the CP function
	FTUP  Features = 1 << 4  // the UPF allocates F-TEIDs
	EMPU  Features = 1 << 8  // end markers
	UEIP  Features = 1 << 18 // the UPF allocates UE addresses
	BUNDL Features = 1 << 22 // several messages in a datagram
)

// Has reports whether every feature of f is offered.
func (s Features) Has(f Features) bool { return s&f == f }

// String lists the features that have a name here, e.g. "EMPU FTUP".
func (s Features) String() string {
	named := [...]struct {
		bit  Features
		name string
	}{{BUCP, "BUCP"}, {BUNDL, "BUNDL"}, {EMPU, "EMPU"}, {FTUP, "FTUP"}, {UEIP, "UEIP"}}
	var out []string
	for _, n := range named {
		if s.Has(n.bit) {
			out = append(out, n.name)
		}
	}
	return strings.Join(out, " ")
}

// featuresOf reads the IE's octets; those beyond the eighth are left out.
func featuresOf(octets []byte) (s Features) {
	for i, o := range octets[:min(len(octets), 8)] {
		s |= Features(o) << (8 * i)
	}
	return s
}
