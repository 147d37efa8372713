package trial

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Families is how a record calls the IP of a scenario's UEs and of its N3 and N4; "": IPv4, which all had before there were
// others.
func Families(s *scenario.Scenario) (f record.Families) {
	if s.UE.Family.IPv6() {
		f.Family = string(s.UE.Family)
	}
	if s.Transport.IPv6() {
		f.Transport = string(s.Transport)
	}
	if len(s.Families) == 1 {
		f.Compared = string(s.Families[0])
	}
	return f
}

// ecnRecord is how a record calls the codepoint; "": Not-ECT, as in records from before there were others.
func ecnRecord(s *scenario.Scenario) string {
	if s.ECN == scenario.NotECT {
		return ""
	}
	return string(s.ECN)
}

// udpFlows is how a record calls the UDP flows of an address; 0: there is one, as in records from before there
// were others.
func udpFlows(s *scenario.Scenario) int {
	if s.UDP.Flows < 2 {
		return 0
	}
	return s.UDP.Flows
}
