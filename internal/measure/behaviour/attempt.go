package behaviour

import (
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Attempt asks for a session that a UPF may accept or refuse.
func Attempt(u *UE, what string, s rules.Session) Step {
	return Step{Text: "ask for a session " + what + ", which may be refused", Do: func(t *T) error {
		seid := t.peer.NextSEID()
		a, err := t.ask("an establishment "+what, t.peer.Establish(t.writer, t.peer.Node, seid, &s))
		if err == nil && a.Accepted() {
			t.Adopt(u, seid, a.SEID)
		}
		return err
	}}
}

// Withdraw deletes the session of Attempt, where there is one.
func Withdraw(u *UE) Step {
	return Step{Text: "delete the session, if it was accepted", Do: func(t *T) error {
		if t.sessions[u] == nil {
			return nil
		}
		return Delete(u).Do(t)
	}}
}

// ToSEID is the check of an answer whose header has to have a SEID of ours.
func ToSEID(a *n4.Answer, ours uint64) error {
	if a.Header.SEID == ours {
		return nil
	}
	return fail.Because(fail.AnswerSEID, fail.Wrongf(fmt.Sprintf("the %s goes to SEID %#x", a.Type, ours), "it goes to SEID %#x", a.Header.SEID))
}

// FromN4 is the check that an answer comes from where its request went (TS 29.244 clause 4.2.3).
func FromN4(t *T, a *n4.Answer) error {
	want, err := netip.ParseAddrPort(t.UPF().String())
	if err != nil || a.From == netip.AddrPortFrom(want.Addr().Unmap(), want.Port()) {
		return err
	}
	return fail.Because(fail.AnswerPort, fail.Wrongf(fmt.Sprintf("the %s comes from %s, where the request went", a.Type, want), "it comes from %s", a.From))
}

// OfNode is the check of an answer to an establishment that has to have the Node ID of the association, and a UP F-SEID with
// an address (TS 29.244 clause 7.5.3.1). Which one that is the UPF chooses: it need not be that of its Node ID (clause 5.8.1).
func OfNode(t *T, a *n4.Answer) error {
	flaw := flawOfSEID(a.SEIDAddr, t.peer.Node)
	switch {
	case a.NodeID == smf.NodeID{}:
		return fail.Because(fail.Node, fail.NotEnforcedf("the answer to an establishment has the Node ID", "it has none"))
	case a.NodeID != t.node && t.node != smf.NodeID{}:
		return fail.Because(fail.Node, fail.Wrongf(fmt.Sprintf("the answer to an establishment has the Node ID %s, as the association has", t.node), "it has %s", a.NodeID))
	case flaw != "":
		return fail.Because(fail.Node, fail.Wrongf("the UP F-SEID has an address that the UPF can have", "%s", flaw))
	}
	return nil
}

// flawOfSEID says why the address in a UP F-SEID can be none of the UPF's; "": it can.
func flawOfSEID(at, smf netip.Addr) string {
	switch {
	case !at.IsValid():
		return "it has none"
	case at.IsUnspecified() || at.IsMulticast():
		return fmt.Sprintf("it has %s, which no node has", at)
	case at == smf:
		return fmt.Sprintf("it has %s, the SMF's", at)
	}
	return ""
}

// Needs is the one step of a case that this lab cannot run.
func Needs(what string) Step {
	return Step{Text: "it needs " + what, Do: func(*T) error { return fail.Inapplicable("it needs %s, which upflab does not have", what) }}
}
