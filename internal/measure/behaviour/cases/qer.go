package cases

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
)

func qer() []Case {
	return []Case{
		{ID: "qer.gate.uplink", Title: "A closed uplink gate drops uplink packets alone", Clause: "TS 29.244 5.4.3, 8.2.7",
			Steps: gate(rules.QER{ID: 1, QFI: 9, CloseUp: true})},
		{ID: "qer.gate.downlink", Title: "A closed downlink gate drops downlink packets alone", Clause: "TS 29.244 5.4.3, 8.2.7",
			Steps: gate(rules.QER{ID: 1, QFI: 9, CloseDown: true})},
		{ID: "qer.gate.both", Title: "Closed gates drop everything", Clause: "TS 29.244 5.4.3, 8.2.7",
			Steps: gate(rules.QER{ID: 1, QFI: 9, CloseUp: true, CloseDown: true})},
		{ID: "qer.gate.update", Title: "A gate can be closed and opened in a session's life", Clause: "TS 29.244 5.4.3, 7.5.4.5",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				closed := rules.Change{Update: rules.Session{QERs: []rules.QER{{ID: 1, QFI: 9, CloseUp: true, CloseDown: true}}}}
				open := rules.Change{Update: rules.Session{QERs: []rules.QER{{ID: 1, QFI: 9}}}}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly()),
					b.Modify(u, "close both gates", closed), b.Send(b.Up(u, "").Lost(), b.Down(u, "").Lost()),
					b.Modify(u, "open both gates", open), b.Send(b.Up(u, "after the gate was opened"), b.Down(u, "after the gate was opened"))}
			})},
		{ID: "qer.gate.any-of-several", Title: "One closed gate of a PDR's QERs drops its packets", Clause: "TS 29.244 5.4.3, 5.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				several := func(u *b.UE, ids ...uint32) rules.Session {
					s := b.Plain(u, g)
					s.QERs = append(s.QERs, rules.QER{ID: 2, CloseUp: true})
					s.PDRs[0].QERs, s.PDRs[1].QERs = ids, ids
					return s
				}
				return []step{b.Establish(u, several(u, 1, 2)), b.Establish(v, several(v, 2, 1)),
					b.Send(b.Up(u, "with the closed gate in the second QER").Lost(), b.Up(v, "with the closed gate in the first QER").Lost(),
						b.Down(u, ""), b.Down(v, ""))}
			})},
		{ID: "qer.qfi", Title: "Downlink packets carry the QFI of the QER", Clause: "TS 29.244 8.2.89; TS 38.415 5.5.2.1",
			Steps: marked(41, 41)},
		{ID: "qer.qfi.update", Title: "An updated QFI is the one that packets carry", Clause: "TS 29.244 7.5.4.5",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				change := rules.Change{Update: rules.Session{QERs: []rules.QER{{ID: 1, QFI: 33}}}}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "QFI 33", change), b.Send(b.Down(u, "").Marked(33).Before(b.Down(u, "").Marked(9)))}
			})},
		{ID: "qer.qfi.flows", Title: "Each QoS flow's packets carry its own QFI", Clause: "TS 29.244 5.4.2, 8.2.89",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := twoTunnels(u, g, 100, 300)
				s.QERs = append(s.QERs, rules.QER{ID: 2, QFI: 21})
				s.PDRs[2].QERs, s.PDRs[2].FAR, s.FARs = []uint32{2}, 2, s.FARs[:2]
				return []step{b.Establish(u, s),
					b.Send(b.Down(u, "from the host of the filter").Host(g.DN(1)).Marked(21),
						b.Down(u, "from another host").Marked(9))}
			})},
		{ID: "qer.rqi", Title: "Downlink packets carry the reflective QoS indicator",
			Clause: "TS 29.244 8.2.88; TS 38.415 5.5.2.1", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.QERs[0].RQI = true })
				p := b.Down(u, "").Marked(9)
				p.Ignored, p.Wants = p.Wants, []b.Want{{Tunnel: p.Wants[0].Tunnel, QFI: 9, RQI: true}}
				return []step{b.Establish(u, s), b.Send(p)}
			})},
		{ID: "qer.ppi", Title: "Downlink packets carry the Paging Policy Indicator of the QER",
			Clause: "TS 29.244 8.2.116; TS 38.415 5.5.2.1; TS 23.501 5.4.3.2", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.QERs[0].PPI = new(uint8(5)) })
				change := rules.Change{Update: rules.Session{QERs: []rules.QER{{ID: 1, QFI: 9, PPI: new(uint8(0))}}}}
				return []step{b.Establish(u, s), b.Send(paged(u, 5)), b.Modify(u, "PPI 0", change), b.Send(paged(u, 0).Before(paged(u, 5)))}
			})},
	}
}

// paged is a downlink packet whose PDU session container has a Paging Policy Indicator: in the high
// three bits of the third octet, with PPP in the second.
func paged(u *b.UE, ppi uint8) b.Packet {
	p := b.Down(u, "").Marked(9)
	p.Wants[0].Also = &b.Property{Symptom: "ppi", Text: fmt.Sprintf("PPI %d", ppi), Differs: func(a *inbox.Arrival) string {
		c := a.Header.ContainerOctets
		if len(c) < 3 || c[1]&0x80 == 0 {
			return "the container has no Paging Policy Indicator"
		}
		return unless(c[2]>>5 == ppi, "the Paging Policy Indicator is %d in place of %d", c[2]>>5, ppi)
	}}
	return p
}

// gate sends both ways through a session whose QER has gates.
func gate(q rules.QER) func(*fixture) []step {
	return steps(func(u *b.UE, g *fixture) []step {
		up, down := b.Up(u, ""), b.Down(u, "")
		if q.CloseUp {
			up = up.Lost()
		}
		if q.CloseDown {
			down = down.Lost()
		}
		list := []b.Packet{up, down}
		if q.CloseDown { // one that passes comes last
			list = []b.Packet{down, up}
		}
		return []step{b.Establish(u, with(g, func(s *rules.Session) { s.QERs[0] = q })), b.Send(list...)}
	})
}

// marked sends downlink packets through a QER with a QFI.
func marked(qfi, want uint8) func(*fixture) []step {
	return steps(func(u *b.UE, g *fixture) []step {
		s := with(g, func(s *rules.Session) { s.QERs[0].QFI = qfi })
		return []step{b.Establish(u, s), b.Send(b.Down(u, "").Marked(want))}
	})
}
