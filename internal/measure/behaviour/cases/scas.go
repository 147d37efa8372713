package cases

import (
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/scan"
)

// scas are the cases of TS 33.513 clause 4.2.2, and those of TS 33.117 that packets can
// decide.
func scas() []Case {
	return append(append(protected(), []Case{
		{ID: "scas.teid-unique", Title: "The F-TEIDs of 1000 sessions that are established 32 at a time all differ",
			Clause: "TS 33.513 4.2.2.6 (TC_TEID_ID_UNIQUENESS_UPF)",
			Need:   need{Feature: smf.FTUP}, Steps: func(g *fixture) []step { return []step{b.Unique(g, 1000, 32)} }},
		{ID: "scas.teid-taken", Title: "A session that names another one's F-TEID takes none of its traffic",
			Clause: "TS 33.513 4.2.2.6; TS 29.281 5.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				other := b.Plain(v, g)
				other.PDRs[0].TEID = u.TEID
				other.FARs[0] = rules.FAR{ID: 1, Action: rules.Drop, ActionOnly: true}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Attempt(v, "with the F-TEID of UE 1, whose uplink FAR drops", other),
					b.Send(b.Up(u, "whose TEID the second session names, too")), b.Withdraw(v), b.Send(b.Up(u, "after the second session is deleted"))}
			})},
		{ID: "scas.address-taken", Title: "A session that names another one's UE address takes none of its traffic",
			Clause: "TS 29.244 5.21; TS 23.501 5.8.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				other := b.Plain(v, g)
				other.PDRs[0].UE, other.PDRs[1].UE = u.Addr, u.Addr
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()), b.Attempt(v, "with the address of UE 1", other),
					b.Send(b.Down(u, "whose address the second session names, too")), b.Withdraw(v),
					b.Send(b.Down(u, "after the second session is deleted"))}
			})},
		{ID: "scas.ipups", Title: "Packets of N9 pass in the F-TEID of an active session, and in no other",
			Clause: "TS 33.513 4.2.2.7 (TC_IPUPS_PACKET_HANDLING)", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, homeRouted(u, g)), b.Send(fromHome(u, g, "in the F-TEID of the session", g.UE(1).TEID)),
					b.Send(fromHome(u, g, "in another F-TEID", g.UE(2).TEID).Lost(),
						fromHome(u, g, "in the F-TEID of the session, after that", g.UE(1).TEID)),
					b.Delete(u), b.Wait(pause), b.Send(fromHome(u, g, "of a session that is deleted", g.UE(1).TEID).Lost())}
			})},
	}...), append(malformed(), separate()...)...)
}

// homeRouted is a session of a UPF in the visited network: to N9 in place of N6, with
// the F-TEID of UE 2 for what comes from there.
func homeRouted(u *b.UE, g *fixture) rules.Session {
	s := b.Plain(u, g)
	home := second(u, g)
	s.FARs[0].Tunnel, s.FARs[0].Interface = &home, rules.N9Roaming
	s.PDRs[1].TEID, s.PDRs[1].Interface = g.UE(1).TEID, rules.N9Roaming
	return s
}

// fromHome is a downlink packet as the UPF in the home network sends it.
func fromHome(u *b.UE, g *fixture, name string, teid uint32) b.Packet {
	p := b.Down(u, "from N9 "+name)
	p.N9 = true
	p.Outer.From, p.Outer.TEID, p.Outer.Downlink = g.GNB(1), teid, true
	return p
}

// separate are cases in which users and networks try to reach the UPF itself.
func separate() []Case {
	return []Case{
		{ID: "scas.separation.n4-from-ue", Title: "A UE cannot speak PFCP to the UPF through its tunnel", Clause: "TS 33.117 4.3.5.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly()), scan.NoPFCP(scan.FromUE(u))}
			})},
		{ID: "scas.separation.n4-from-n6", Title: "A host of the data network cannot speak PFCP to the UPF", Clause: "TS 33.117 4.3.5.1",
			Steps: steps(func(_ *b.UE, g *fixture) []step { return []step{scan.NoPFCP(scan.FromN6(g))} })},
		{ID: "scas.ports.ue", Title: "A UE finds no open TCP port of the UPF through its tunnel", Clause: "TS 33.117 4.4.2, 4.3.5.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly()),
					scan.Closed(scan.FromUE(u), "N4", g.UPFN4), b.Send(b.Up(u, "").Plainly())}
			})},
		{ID: "scas.ports.n3", Title: "N3 has no open TCP port", Clause: "TS 33.117 4.4.2",
			Steps: steps(func(_ *b.UE, g *fixture) []step { return []step{scan.Closed(scan.FromN3(g), "N3", g.UPF)} })},
	}
}
