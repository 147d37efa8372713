package behaviour

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/smf/rules"
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
	return because(symptomAnswerSEID, wrong(fmt.Sprintf("the %s goes to SEID %#x", a.Type, ours), "it goes to SEID %#x", a.Header.SEID))
}

// Needs is the one step of a case that this lab cannot run.
func Needs(what string) Step {
	return Step{Text: "it needs " + what, Do: func(*T) error { return inapplicable("it needs %s, which upflab does not have", what) }}
}
