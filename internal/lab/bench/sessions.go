package bench

import (
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/scenario"
)

// Sessions lists what the SMF establishes. Session i has the i-th UE address
// and, by twos, the TEIDs from the first on.
func Sessions(s *scenario.Scenario, assign smf.Assign) []smf.Session {
	return sessionsFrom(s, assign, 0, s.Sessions)
}

// sessionsFrom lists n of them from a number on.
func sessionsFrom(s *scenario.Scenario, assign smf.Assign, from, n int) []smf.Session {
	list, gnbs := make([]smf.Session, n), s.GNBs()
	_, n3 := s.N3Ends()
	for at := range list {
		i := from + at
		ue, ue6 := s.UE.Of(i)
		list[at] = smf.Session{
			Index: i, UE: ue, UE6: ue6, QFI: s.QFIOf(i), GNB: gnbs[i%len(gnbs)], N3: n3, NetworkInstance: s.InstanceOf(i),
			UplinkTEID: s.TEID.Uplink + 2*uint32(i), DownlinkTEID: s.TEID.Downlink + 2*uint32(i),
		}
		if assign == smf.AssignUPF {
			list[at].UplinkTEID = 0
		}
	}
	return list
}
