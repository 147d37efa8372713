package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
)

// DefaultQFI is that of packets and rules whose QoS flow does not matter.
const DefaultQFI = 9

// Plain is the rules of an ordinary session: PDR, FAR and QER 1 uplink, PDR and FAR 2
// downlink with the same QER.
func Plain(u *UE, g *Fixture) rules.Session {
	return rules.Session{
		PDRs: []rules.PDR{
			{ID: 1, Precedence: 200, From: rules.Access, TEID: u.TEID, UE: u.Addr, UE6: u.Second, FAR: 1, QERs: []uint32{1}},
			{ID: 2, Precedence: 200, From: rules.Core, UE: u.Addr, UE6: u.Second, FAR: 2, QERs: []uint32{1}},
		},
		FARs: []rules.FAR{
			{ID: 1, Action: rules.Forward, To: rules.Core},
			{ID: 2, Action: rules.Forward, To: rules.Access, Tunnel: &rules.Tunnel{TEID: u.Tunnel, Peer: g.GNB(0)}},
		},
		QERs: []rules.QER{{ID: 1, QFI: DefaultQFI}},
	}
}

// Establish establishes a UE's session, which has to be accepted.
func Establish(u *UE, s rules.Session) Step {
	return Step{Text: "establish " + summary(&s), Do: func(t *T) error {
		_, err := t.establish(u, &s)
		return err
	}}
}

// Serve establishes an ordinary session in the way in which the UPF forwards it: where its dialect says so, the downlink
// comes by a modification, and what takes time to settle gets it.
func Serve(u *UE, g *Fixture) Step {
	return Step{Text: "establish a session that is forwarded", Do: func(t *T) error {
		s := Plain(u, g)
		later := t.writer.TakeDownlink(&s)
		if _, err := t.establish(u, &s); err != nil {
			return err
		}
		if later != nil {
			if _, err := t.modify(u, "a modification: the downlink rules", later); err != nil {
				return err
			}
		}
		return t.Settle()
	}}
}

// Settle waits for as long as the UPF takes to forward rightly after it has accepted sessions.
func (t *control) Settle() error { return wait.Pause(t.Ctx, t.writer.Settling) }

// EstablishRefused asks for a session that has to be refused.
func EstablishRefused(u *UE, why string, s rules.Session) Step {
	return Step{Text: "establish a session " + why + ": refused", Do: func(t *T) error {
		seid := t.peer.NextSEID()
		a, err := t.refused("a session "+why, t.peer.Establish(t.writer, t.peer.Node, seid, &s))
		if a.Accepted() { // it is to be deleted
			t.sessions[u] = &Session{Ours: seid, Theirs: a.SEID}
		}
		return err
	}}
}

func (t *control) establish(u *UE, s *rules.Session) (n4.Answer, error) {
	s = t.LeaveFTEIDs(u, s)
	seid, asked := t.peer.NextSEID(), time.Now()
	a, err := t.accepted("a session with "+summary(s), t.peer.Establish(t.writer, t.peer.Node, seid, s))
	if err != nil {
		return a, err
	}
	t.sessions[u] = &Session{Ours: seid, Theirs: a.SEID, Asked: asked}
	t.sessions[u].note(s)
	t.peer.Belongs(seid, a.SEID)
	if a.SEID == 0 {
		return a, fail.Wrongf("the answer to an establishment has the UP F-SEID", "it has none")
	}
	return a, t.TakeFTEID(u, s, &a)
}

// LeaveFTEIDs leaves the choice of the UE's F-TEID to a UPF that takes none from the SMF: one for all PDRs that
// have it. F-TEIDs of others in the rules stay, for the UPF to refuse.
func (t *control) LeaveFTEIDs(u *UE, s *rules.Session) *rules.Session {
	if t.writer.Assign != smf.AssignUPF {
		return s
	}
	left := *s
	left.PDRs = slices.Clone(s.PDRs)
	var chosen []*rules.PDR
	for i := range left.PDRs {
		if p := &left.PDRs[i]; p.From == rules.Access && p.TEID != 0 && (p.TEID == u.TEID || p.TEID == u.asked) {
			p.TEID, p.Choose = 0, true
			chosen = append(chosen, p)
		}
	}
	for _, p := range chosen {
		if len(chosen) > 1 {
			p.ChooseID = 1
		}
	}
	return &left
}

// TakeFTEID notes what the UPF chose for the first uplink PDR.
func (t *control) TakeFTEID(u *UE, s *rules.Session, a *n4.Answer) error {
	for _, p := range s.PDRs {
		if !p.Choose {
			continue
		}
		var others []string
		for _, c := range a.Created {
			if c.PDR != p.ID {
				others = append(others, fmt.Sprint(c.PDR))
				continue
			}
			if c.TEID != 0 {
				if u.asked == 0 {
					u.asked = u.TEID
				}
				u.TEID = c.TEID
				if c.N3.IsValid() {
					u.N3 = c.N3
				}
				return nil
			}
		}
		f := &fail.Failure{Verdict: record.VerdictNotEnforced, Symptom: "created-pdr",
			Expected: fmt.Sprintf("a Created PDR names PDR %d and has the F-TEID that the UPF chose", p.ID),
			Observed: "there is none, or it has TEID 0"}
		if len(others) == len(a.Created) && len(others) > 0 {
			f.Observed = "the Created PDRs that there are name PDR " + strings.Join(others, ", ")
		}
		return f
	}
	return nil
}

// nameFTEIDs is LeaveFTEIDs for a change: rules that it creates leave the choice to the UPF, and updates name
// the F-TEID that the UPF chose.
func (t *control) nameFTEIDs(u *UE, c *rules.Change) *rules.Change {
	if t.writer.Assign != smf.AssignUPF {
		return c
	}
	named := *c
	named.Create = *t.LeaveFTEIDs(u, &c.Create)
	named.Update.PDRs = slices.Clone(c.Update.PDRs)
	for i := range named.Update.PDRs {
		if p := &named.Update.PDRs[i]; p.From == rules.Access && p.TEID != 0 && p.TEID == u.asked {
			p.TEID = u.TEID
		}
	}
	return &named
}

// note keeps which URRs a session has.
func (s *Session) note(r *rules.Session) {
	for _, u := range r.URRs {
		s.URRs = append(s.URRs, u.ID)
	}
}

// Modify changes a UE's session, which has to be accepted.
func Modify(u *UE, what string, c rules.Change) Step {
	return Step{Text: "modify: " + what, Do: func(t *T) error {
		_, err := t.modify(u, "a modification: "+what, &c)
		return err
	}}
}

func (t *control) modify(u *UE, what string, c *rules.Change) (n4.Answer, error) {
	c = t.nameFTEIDs(u, c)
	a, err := t.accepted(what, t.peer.Modify(t.writer, t.theirs(u), c))
	if s := t.sessions[u]; s != nil {
		s.answered(&a)
		s.note(&c.Create)
	}
	if err != nil {
		return a, err
	}
	return a, t.TakeFTEID(u, &c.Create, &a)
}

// ModifyRefused asks for a change that has to be refused.
func ModifyRefused(u *UE, what string, c rules.Change) Step {
	return Step{Text: "modify: " + what + ": refused", Do: func(t *T) error {
		_, err := t.refused("a modification: "+what, t.peer.Modify(t.writer, t.theirs(u), t.nameFTEIDs(u, &c)))
		return err
	}}
}

// Delete deletes a UE's session.
func Delete(u *UE) Step {
	return Step{Text: "delete the session", Do: func(t *T) error {
		s := t.sessions[u]
		a, err := t.accepted("a deletion", t.peer.Delete(s.Theirs))
		if err == nil {
			s.Theirs = 0
			s.answered(&a)
		}
		return err
	}}
}

func (t *control) theirs(u *UE) uint64 {
	if s := t.sessions[u]; s != nil {
		return s.Theirs
	}
	return 0
}

// summary names what a session is made of: "2 PDRs, 2 FARs, 1 QER".
func summary(s *rules.Session) string {
	text := ""
	for _, x := range []struct {
		n    int
		name string
	}{{len(s.PDRs), "PDR"}, {len(s.FARs), "FAR"}, {len(s.QERs), "QER"}, {len(s.URRs), "URR"}, {len(s.BARs), "BAR"},
		{len(s.Endpoints), "traffic endpoint"}} {
		switch {
		case x.n == 1:
			text += ", 1 " + x.name
		case x.n > 1:
			text += fmt.Sprintf(", %d %ss", x.n, x.name)
		}
	}
	if text == "" {
		return "nothing"
	}
	for _, p := range s.PDRs {
		if len(p.Filters) > 0 && p.Filters[0].Flow != "" {
			return fmt.Sprintf("%s, the flow description %q", text[2:], p.Filters[0].Flow)
		}
	}
	return text[2:]
}
