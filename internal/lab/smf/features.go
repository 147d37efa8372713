package smf

import (
	"slices"
	"strings"
)

// Features is the set of UP function features that a UPF offers (TS 29.244
// clause 8.2.25): bit b of octet 5+n is bit 8n+b-1 here, up to octet 12.
type Features uint64

// The features by which a tester decides something.
const (
	BUCP  Features = 1 << 0  // buffering in the CP function
	DDND  Features = 1 << 1  // delay of a downlink data notification
	FTUP  Features = 1 << 4  // the UPF allocates F-TEIDs
	PFDM  Features = 1 << 5  // PFD management
	EMPU  Features = 1 << 8  // end markers
	QUOAC Features = 1 << 11 // FAR ID for Quota Action
	PDIU  Features = 1 << 9  // traffic endpoints
	UDBC  Features = 1 << 10 // numbers of packets to buffer
	UEIP  Features = 1 << 18 // the UPF allocates UE addresses
	MNOP  Features = 1 << 20 // usage in packets
	BUNDL Features = 1 << 22 // several messages in a datagram
)

// featureNames lists the names of table 8.2.25-1 by their bits.
var featureNames = [...]string{
	"BUCP", "DDND", "DLBD", "TRST", "FTUP", "PFDM", "HEEU", "TREU",
	"EMPU", "PDIU", "UDBC", "QUOAC", "TRACE", "FRRT", "PFDE", "EPFAR",
	"DPDRA", "ADPDP", "UEIP", "SSET", "MNOP", "MTE", "BUNDL", "GCOM",
	"MPAS", "RTTL", "VTIME", "NORP", "IPTV", "IP6PL", "TSCU", "MPTCP",
	"ATSSS-LL", "QFQM", "GPQM", "MT-EDT", "CIOT", "ETHAR", "DDDS", "RDS",
}

// Has reports whether every feature of f is offered.
func (s Features) Has(f Features) bool { return s&f == f }

// Names lists the features that have a name here, by name.
func (s Features) Names() (out []string) {
	for bit, name := range featureNames {
		if s>>bit&1 != 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// String joins Names in a line, e.g. "EMPU FTUP".
func (s Features) String() string { return strings.Join(s.Names(), " ") }

// featuresOf reads the octets of UP Function Features; those beyond the eighth are ignored.
func featuresOf(octets []byte) (s Features) {
	for i, o := range octets[:min(len(octets), 8)] {
		s |= Features(o) << (8 * i)
	}
	return s
}
