package scenario

import "fmt"

// ECN is the ECN field of the inner packets of a load.
type ECN string

// The codepoints that may be sent (RFC 3168 clause 5).
const (
	NotECT ECN = "not-ect"
	ECT0   ECN = "ect0"
	ECT1   ECN = "ect1"
)

// checkECN refuses what sends no packets of the load's.
func checkECN(s *Scenario, r *report) {
	if s.ECN == NotECT || s.ECN == "" {
		return
	}
	r.clashes("ecn", s.ECN, "not-ect",
		clash{s.OfCases() || s.Kind == KindInstructions, fmt.Sprintf("a scenario of kind %s chooses its own packets", s.Kind), "kind"},
		clash{len(s.Flows) > 0, "applications at UEs (flows) choose theirs", "flows"},
		clash{s.Engine == EngineTRex || s.TRex != nil, "TRex counts no marks", "engine"},
		clash{s.Hosts != nil, "hosts that generate together count no marks", "hosts"})
}
