package attack

import (
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// everything is a session with each kind of rule; n makes some differ.
func everything(u *b.UE, g *b.Fixture, n int) rules.Session {
	s := b.Plain(u, g)
	s.PDRs[0].URRs, s.PDRs[1].URRs = []uint32{1}, []uint32{1}
	s.URRs = []rules.URR{{ID: 1, Method: rules.ByVolume | rules.Duration, Triggers: rules.VolumeThreshold | rules.Periodic, Period: 3600,
		Threshold: &rules.Volume{Total: rules.Octets(1 << 40)}}}
	s.QERs[0].MBRUp, s.QERs[0].MBRDown = 1_000_000, 1_000_000
	switch n {
	case 1:
		s.PDRs[0].Filters = []rules.Filter{{Flow: "permit out 17 from 198.51.100.10 80-90,443 to assigned", TOS: 0x10, Mask: 0xfc, ID: 1}}
	case 2:
		s.BARs = []rules.BAR{{ID: 1, Delay: 1, Count: 10}}
		s.FARs[1].Action, s.FARs[1].BAR = rules.Buffer|rules.Notify, 1
	case 3:
		s.PDRs[0].TEID, s.PDRs[0].Choose, s.PDRs[0].ChooseID = 0, true, 1
	}
	return s
}

// changed is a modification with each kind of change.
func changed(u *b.UE, g *b.Fixture, n int) rules.Change {
	tunnel := rules.Tunnel{TEID: u.Tunnel, Peer: g.GNB(n % 2)}
	far := rules.FAR{ID: 2, Action: rules.Forward, To: rules.Access, Tunnel: &tunnel, EndMarkers: true}
	switch n {
	case 1:
		return rules.Change{Create: rules.Session{
			PDRs: []rules.PDR{{ID: 3, Precedence: 10, From: rules.Core, UE: u.Addr, FAR: 3, QERs: []uint32{2},
				Filters: []rules.Filter{{Flow: "permit out ip from 198.51.100.20 to assigned"}}}},
			FARs: []rules.FAR{{ID: 3, Action: rules.Forward, To: rules.Access, Tunnel: &tunnel}},
			QERs: []rules.QER{{ID: 2, QFI: 5}},
		}, Remove: rules.Removed{PDRs: []uint16{3}, FARs: []uint32{3}}}
	case 2:
		return rules.Change{Query: []uint32{1}, QueryAll: true, DropBuffered: true,
			Update: rules.Session{URRs: []rules.URR{{ID: 1, Method: rules.ByVolume, Triggers: rules.VolumeThreshold,
				Threshold: &rules.Volume{Total: rules.Octets(1000)}}}}}
	}
	return rules.Change{Update: rules.Session{FARs: []rules.FAR{far}, QERs: []rules.QER{{ID: 1, QFI: 7}},
		PDRs: []rules.PDR{{ID: 1, Precedence: 100, From: rules.Access, TEID: u.TEID, UE: u.Addr, FAR: 1, QERs: []uint32{1}}}}}
}
