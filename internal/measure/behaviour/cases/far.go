package cases

import (
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
)

func far() []Case {
	return []Case{
		{ID: "far.forward.uplink", Both: true, Title: "Uplink packets leave plain on N6, unaltered", Clause: "TS 29.244 5.2.1, 8.2.26",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, ""), b.Up(u, "of 1400 octets").Sized(1400))}
			})},
		{ID: "far.forward.downlink", Both: true, Title: "Downlink packets leave in the session's tunnel, unaltered", Clause: "TS 29.244 5.2.1, 8.2.56",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, ""), b.Down(u, "of 1400 octets").Sized(1400))}
			})},
		{ID: "far.drop.uplink", Both: true, Title: "An uplink FAR with DROP drops uplink packets alone", Clause: "TS 29.244 8.2.26",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.FARs[0] = rules.FAR{ID: 1, Action: rules.Drop, ActionOnly: true} })
				return []step{b.Establish(u, s), b.Send(b.Up(u, "").Lost(), b.Down(u, ""))}
			})},
		{ID: "far.drop.downlink", Both: true, Title: "A downlink FAR with DROP drops downlink packets alone", Clause: "TS 29.244 8.2.26",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.FARs[1] = rules.FAR{ID: 2, Action: rules.Drop, ActionOnly: true} })
				return []step{b.Establish(u, s), b.Send(b.Down(u, "").Lost(), b.Up(u, ""))}
			})},
		{ID: "far.update.drop", Title: "A FAR that is updated to DROP drops, and back to FORW forwards", Clause: "TS 29.244 7.5.4.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "FAR 2 to DROP", action(rules.Drop)), b.Send(b.Down(u, "").Lost(), b.Up(u, "").Plainly()),
					b.Modify(u, "FAR 2 to FORW", action(rules.Forward)), b.Send(b.Down(u, "after the FAR forwards again"))}
			})},
		{ID: "far.path-switch", Both: true, Title: "After a path switch downlink packets go to the new gNB alone",
			Clause: "TS 29.244 7.5.4.3; TS 23.502 4.9.1.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "path switch to another gNB", pathSwitch(u, g, false)),
					b.Send(b.Down(u, "after the path switch").Into(second(u, g)), b.Up(u, ""))}
			})},
		{ID: "far.end-marker", Title: "A path switch with SNDEM sends one End Marker to the old gNB",
			Clause: "TS 29.244 5.2.3.2, 8.2.53; TS 29.281 7.3.2",
			Need:   need{Feature: smf.EMPU},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "path switch to another gNB, with SNDEM", pathSwitch(u, g, true)),
					b.EndMarkers(rules.Tunnel{TEID: u.Tunnel, Peer: u.GNB}, 1), b.Send(b.Down(u, "after the path switch").Into(second(u, g)))}
			})},
		{ID: "far.end-marker.prompt", Title: "The End Marker comes within half a second of the path switch",
			Clause: "TS 23.501 5.8.2.9; TS 23.502 4.9.1.2.2", Need: need{Feature: smf.EMPU},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.EndMarkerWithin(b.Modify(u, "path switch to another gNB, with SNDEM", pathSwitch(u, g, true)),
						rules.Tunnel{TEID: u.Tunnel, Peer: u.GNB}, 500*time.Millisecond)}
			})},
		{ID: "far.end-marker.last",
			Title: "While packets come, the End Marker is the last packet in the tunnel that is left, and " +
				"none is lost", Clause: "TS 29.244 5.2.3.2; TS 23.502 4.9.1.2.2; TS 29.281 7.3.2",
			Need: need{Feature: smf.EMPU},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()), b.Switching(u, second(u, g), pathSwitch(u, g, true))}
			})},
		{ID: "far.end-marker.not-asked", Title: "A path switch without SNDEM sends no End Marker", Clause: "TS 29.244 5.2.3.2, 8.2.53",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "path switch to another gNB", pathSwitch(u, g, false)),
					b.EndMarkers(rules.Tunnel{TEID: u.Tunnel, Peer: u.GNB}, 0)}
			})},
		{ID: "far.duplicate", Both: true, Title: "A FAR with DUPL sends a copy to where it is asked",
			Clause: "TS 29.244 5.2.3.2, 8.2.26", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				other := second(u, g)
				s := with(g, func(s *rules.Session) {
					s.FARs[1].Action |= rules.Duplicate
					s.FARs[1].Copy = &other
				})
				p := b.Down(u, "")
				p.Ignored, p.Wants = p.Wants, append(p.Wants, b.Want{Tunnel: &other, Altered: true})
				return []step{b.Establish(u, s), b.Send(p)}
			})},
		{ID: "far.n9", Both: true, Title: "An uplink FAR with an outer header leads to another UPF",
			Clause: "TS 29.244 8.2.56; TS 23.501 5.6.4.2", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				core := second(u, g)
				s := with(g, func(s *rules.Session) { s.FARs[0].Tunnel = &core })
				p := b.Up(u, "")
				p.Ignored, p.Wants = p.Wants, []b.Want{{Tunnel: &core}}
				return []step{b.Establish(u, s), b.Send(p)}
			})},
		{ID: "far.uplink-classifier", Both: true, Title: "Uplink packets to a chosen host go to another UPF, others to N6",
			Clause: "TS 23.501 5.6.4.2; TS 29.244 5.2.1", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				core := second(u, g)
				s := b.Plain(u, g)
				p := s.PDRs[0]
				p.ID, p.FAR, p.Precedence = 3, 3, 100
				p.Filters = []rules.Filter{{Flow: flow("permit out ip from %s to assigned", g.DN(1))}}
				s.PDRs = append(s.PDRs, p)
				s.FARs = append(s.FARs, rules.FAR{ID: 3, Action: rules.Forward, To: rules.Core, Tunnel: &core})
				away := b.Up(u, "to the host of the filter").Host(g.DN(1))
				away.Ignored, away.Wants = away.Wants, []b.Want{{Tunnel: &core}}
				return []step{b.Establish(u, s), b.Send(away, b.Up(u, "to another host"))}
			})},
		{ID: "far.transport-level-marking",
			Title:  "Downlink packets carry the type of service that the FAR asks for in their outer header",
			Clause: "TS 29.244 5.4.4, 8.2.12", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.FARs[1].Mark = &[2]byte{0xb8, 0xfc} })
				tos := byte(0xb8)
				p := b.Down(u, "")
				p.Ignored, p.Wants = p.Wants, []b.Want{{Tunnel: p.Wants[0].Tunnel, TOS: &tos}}
				return []step{b.Establish(u, s), b.Send(p)}
			})},
	}
}

// action updates the downlink FAR's action.
func action(a rules.Action) rules.Change {
	return rules.Change{Update: rules.Session{FARs: []rules.FAR{{ID: 2, Action: a, ActionOnly: true}}}}
}

// pathSwitch leads the downlink to the second tunnel.
func pathSwitch(u *b.UE, g *fixture, markers bool) rules.Change {
	to := second(u, g)
	return rules.Change{Update: rules.Session{FARs: []rules.FAR{{ID: 2, Action: rules.Forward, To: rules.Access,
		Tunnel: &to, EndMarkers: markers}}}}
}

func buffering() []Case {
	held := func(u *b.UE) step { return b.Held(b.Down(u, "").Times(5)) }
	return []Case{
		{ID: "far.buffer", Both: true, Title: "Downlink packets that were buffered arrive in order when the FAR forwards",
			Clause: "TS 29.244 5.2.3.1, 8.2.26",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, buffered(u, g, rules.Buffer|rules.Notify)), held(u),
					b.Modify(u, "FAR 2 to FORW", resume(u, g)), b.Released(), b.Send(b.Down(u, "after that"))}
			})},
		{ID: "far.notify", Both: true, Title: "Buffered downlink packets are reported with their PDR where NOCP is set", Clause: "TS 29.244 5.2.3.1, 7.5.8.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, buffered(u, g, rules.Buffer|rules.Notify)), held(u), b.Notified(u, 2)}
			})},
		{ID: "far.notify.not-asked", Title: "Without NOCP nothing is reported", Clause: "TS 29.244 8.2.26", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, buffered(u, g, rules.Buffer)), held(u), b.Unnotified(u)}
			})},
		{ID: "far.buffer.idle", Both: true, Title: "A session that goes idle and back loses nothing", Clause: "TS 23.502 4.2.6, 4.2.3.3; TS 29.244 5.2.3.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "FAR 2 to BUFF and NOCP", action(rules.Buffer|rules.Notify)),
					b.Held(b.Down(u, "").Into(second(u, g)).Times(5)), b.Notified(u, 2),
					b.Modify(u, "FAR 2 to FORW, in the tunnel of the gNB where the UE comes back", pathSwitch(u, g, false)), b.Released()}
			})},
		{ID: "far.buffer.drop", Title: "DROBU drops what was buffered", Clause: "TS 29.244 8.2.53",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				c := resume(u, g)
				c.DropBuffered = true
				return []step{b.Establish(u, buffered(u, g, rules.Buffer|rules.Notify)), b.Send(b.Down(u, "that is buffered").Times(5).Lost()),
					b.Modify(u, "FAR 2 to FORW, with DROBU", c), b.Send(b.Down(u, "after that"))}
			})},
	}
}

// buffered is the plain rules with a downlink FAR that holds packets.
func buffered(u *b.UE, g *fixture, a rules.Action) rules.Session {
	s := b.Plain(u, g)
	s.FARs[1] = rules.FAR{ID: 2, Action: a, To: rules.Access}
	return s
}

// resume lets the downlink FAR forward to the UE's tunnel.
func resume(u *b.UE, _ *fixture) rules.Change {
	return rules.Change{Update: rules.Session{FARs: []rules.FAR{{ID: 2, Action: rules.Forward, To: rules.Access,
		Tunnel: &rules.Tunnel{TEID: u.Tunnel, Peer: u.GNB}}}}}
}
