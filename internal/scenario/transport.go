package scenario

import (
	"fmt"
	"net/netip"
)

// Transport is the IP of the network around the UPF: of outer headers on N3, and of PFCP on N4.
type Transport string

// The transports.
const (
	TransportIPv4 Transport = "ipv4"
	TransportIPv6 Transport = "ipv6"
)

// IPv6 reports whether N3 and N4 are of IPv6.
func (t Transport) IPv6() bool { return t == TransportIPv6 }

// Word is how text calls it.
func (t Transport) Word() string {
	if t.IPv6() {
		return "IPv6"
	}
	return "IPv4"
}

// gnbBits6 is the subnet that the IPv6 addresses of several gNBs are in: the generator tells them apart by
// their last 32 bits.
const gnbBits6 = 96

// N3Ends are the addresses of the gNB and of the UPF that outer headers have.
func (s *Scenario) N3Ends() (gnb, upf netip.Addr) {
	if s.Transport.IPv6() {
		return s.N3.GNB6, s.N3.UPF6
	}
	return s.N3.GNB, s.N3.UPF
}

// N4Ends are the addresses of the SMF and of the UPF that PFCP has.
func (s *Scenario) N4Ends() (smf, upf netip.Addr) {
	if s.Transport.IPv6() {
		return s.N4.SMF6, s.N4.UPF6
	}
	return s.N4.SMF, s.N4.UPF
}

// checkTransport checks an N3 and an N4 of IPv6.
func checkTransport(s *Scenario, r *report) {
	if s = some(s, func(x *Scenario) bool { return x.Transport.IPv6() }); s == nil {
		checkUnusedIPv6(r, "transport is ipv4; set transport to ipv6", "n3.gnb6", "n3.upf6", "n4.smf6", "n4.upf6")
		return
	}
	checkWithoutTransport6(s, r)
	checkMTU6(s, r, stackKey(s, "transport"))
	n3 := checkLink6(r, end{"n3.gnb6", s.N3.GNB6}, end{"n3.upf6", s.N3.UPF6})
	n4 := checkLink6(r, end{"n4.smf6", s.N4.SMF6}, end{"n4.upf6", s.N4.UPF6})
	if n3 && n4 {
		checkOverlaps6(s, r)
	}
}

// checkOverlaps6 refuses subnets that share addresses.
func checkOverlaps6(s *Scenario, r *report) {
	type subnet struct {
		section, key string
		prefix       netip.Prefix
	}
	list := []subnet{{"n3", "n3.upf6", prefix64(s.N3.UPF6)}, {"n4", "n4.upf6", prefix64(s.N4.UPF6)}}
	if s.UE.Family.IPv6() {
		list = append(list, subnet{"n6", "n6.upf6", prefix64(s.N6.UPF6)}, subnet{"ue.pool6", "ue.pool6", s.UE.Pool6})
	}
	for i, a := range list {
		for _, b := range list[:i] {
			if a.prefix.Overlaps(b.prefix) && (i < 2 || b.section != "n6") { // pool6 checks N6
				r.blame("%s (%s) and %s (%s) overlap; give each its own subnet",
					[]any{b.section, b.prefix, a.section, a.prefix}, a.key, b.key)
			}
		}
	}
}

// checkWithoutTransport6 refuses what has no N3 or N4 of IPv6.
func checkWithoutTransport6(s *Scenario, r *report) {
	r.clashes(stackKey(s, "transport"), s.Transport, "ipv4",
		clash{s.OfCases() && s.Kind != KindResilience && s.Kind != KindQoS || s.Kind == KindInstructions,
			fmt.Sprintf("a scenario of kind %s speaks IPv4 to the UPF", s.Kind), "kind"},
		clash{len(s.Flows) > 0 || s.RAN == RANExternal, "the gNB of applications at UEs (flows) has IPv4", "flows"},
		clash{s.Engine == EngineTRex || s.TRex != nil, "TRex is given streams over IPv4", "engine"},
		clash{s.Spread == SpreadHash || s.Spread == SpreadRules, "rules of a NIC spread G-PDUs over IPv4", "spread"},
		clash{s.Hosts != nil, "hosts that generate together send over IPv4", "hosts"})
}
