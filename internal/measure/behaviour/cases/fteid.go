package cases

import (
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

func fteid() []Case {
	allocates := need{Feature: smf.FTUP}
	return []Case{
		{ID: "fteid.choose", Title: "An F-TEID that the UPF chooses is returned, and its packets pass",
			Clause: "TS 29.244 5.5.3, 8.2.3", Need: allocates,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.PDRs[0].TEID, s.PDRs[0].Choose = 0, true })
				return []step{b.Establish(u, s), b.Send(b.Up(u, "in the tunnel that the UPF chose"), b.Down(u, ""))}
			})},
		{ID: "fteid.unique", Title: "64 sessions' F-TEIDs that the UPF chooses all differ",
			Clause: "TS 33.513 4.2.2.6; TS 29.281 5.1", Need: allocates,
			Steps: func(g *fixture) []step { return []step{b.Different(g, 64)} }},
		{ID: "fteid.choose-id", Title: "PDRs with one CHOOSE ID get one F-TEID", Clause: "TS 29.244 5.5.3, 8.2.3", Need: allocates,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) {
					s.PDRs[0].TEID, s.PDRs[0].Choose, s.PDRs[0].ChooseID = 0, true, 7
					p := s.PDRs[0]
					p.ID, p.Precedence, p.Filters = 3, 100, []rules.Filter{{Flow: flow("permit out ip from %s to assigned", g.DN(1))}}
					s.PDRs = append(s.PDRs, p)
				})
				same := b.Ask("establish a session with two PDRs of one CHOOSE ID", func(t *b.T) []byte {
					return t.Peer().Establish(t.Writer(), t.Peer().Node, t.Peer().NextSEID(), &s)
				}, func(t *b.T, a *n4.Answer) error {
					if err := b.Accept("a session with two PDRs of one CHOOSE ID")(t, a); err != nil {
						return err
					}
					t.Adopt(u, 0, a.SEID)
					u.TEID = 0
					for _, c := range a.Created { // others may be there, too, without an F-TEID
						switch {
						case c.TEID == 0 || c.PDR == 2:
						case u.TEID == 0:
							u.TEID = c.TEID
						case c.TEID != u.TEID:
							return fail.Wrong("PDRs with one CHOOSE ID get one F-TEID", flow("one got TEID %#x, and PDR %d %#x", u.TEID, c.PDR, c.TEID))
						}
					}
					return nil
				})
				return []step{same, b.Send(b.Up(u, "that matches the filter").Host(g.DN(1)), b.Up(u, "that does not"))}
			})},
		{ID: "fteid.ue-address", Title: "A UE address that the UPF chooses is returned",
			Clause: "TS 29.244 5.21, 8.2.62", Need: need{Feature: smf.UEIP},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.PDRs[1].ChooseUE, s.PDRs[0].ChooseUE = true, true })
				return []step{b.Ask("establish a session whose UE address the UPF chooses", func(t *b.T) []byte {
					return t.Peer().Establish(t.Writer(), t.Peer().Node, t.Peer().NextSEID(), &s)
				}, func(t *b.T, a *n4.Answer) error {
					if err := b.Accept("a session whose UE address the UPF chooses")(t, a); err != nil {
						return err
					}
					t.Adopt(u, 0, a.SEID)
					for _, c := range a.Created {
						if c.UE.IsValid() {
							u.Addr = c.UE
							return nil
						}
					}
					return fail.Missing("Created PDR has the UE address that the UPF chose", "it has none")
				}), b.Send(b.Up(u, ""), b.Down(u, ""))}
			})},
	}
}
