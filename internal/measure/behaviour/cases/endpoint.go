package cases

import (
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// byEndpoints is the plain rules with what the PDIs ask for in two traffic endpoints: 1 of N3, 2
// of N6.
func byEndpoints(u *b.UE, g *fixture) rules.Session {
	s := b.Plain(u, g)
	s.Endpoints = []rules.Endpoint{
		{ID: 1, TEID: u.TEID, UE: u.Addr, Source: rules.Access}, {ID: 2, UE: u.Addr, Source: rules.Core},
	}
	for i := range s.PDRs {
		s.PDRs[i].TEID, s.PDRs[i].Endpoint = 0, s.Endpoints[i].ID
	}
	return s
}

func endpoints() []Case {
	need := need{Feature: smf.PDIU}
	return []Case{
		{ID: "pdr.endpoint", Title: "PDRs take the packets of the traffic endpoints that they refer to",
			Clause: "TS 29.244 5.2.1A.3, 7.5.2.7", Need: need,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				forged := b.Up(u, "with a source that is not the endpoint's UE").Lost()
				forged.From = g.UE(1).Addr
				return []step{b.Establish(u, byEndpoints(u, g)), b.Send(forged, b.Up(u, ""), b.Down(u, ""))}
			})},
		{ID: "pdr.endpoint.update", Title: "An updated traffic endpoint counts for the PDRs that refer to it",
			Clause: "TS 29.244 5.2.1A.3, 7.5.4.13", Need: need,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				teid := u.TEID + 0x10000
				change := rules.Change{Update: rules.Session{Endpoints: []rules.Endpoint{{ID: 1, TEID: teid, UE: u.Addr, Source: rules.Access}}}}
				old, now := b.Up(u, "with the endpoint's old TEID").Lost(), b.Up(u, "with the endpoint's new TEID")
				now.Outer.TEID = teid
				return []step{b.Establish(u, byEndpoints(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Modify(u, "another TEID of traffic endpoint 1", change), b.Send(old, now, b.Down(u, ""))}
			})},
		{ID: "pdr.endpoint.remove", Title: "PDRs go with the traffic endpoint that they refer to",
			Clause: "TS 29.244 7.5.4.1, 7.5.4.14", Need: need,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				change := rules.Change{Remove: rules.Removed{Endpoints: []uint8{1}}}
				return []step{b.Establish(u, byEndpoints(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Modify(u, "remove traffic endpoint 1", change), b.Send(b.Up(u, "").Lost(), b.Down(u, ""))}
			})},
	}
}
