package behaviour

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
)

// T is one attempt at a case: what its steps are done with, and what they found for the row.
type T struct {
	*traffic

	// Title is the case's. File is where it keeps what it finds, where Case.Keeps says that
	// it does; "": nowhere.
	Title, File string
	// Attack is what inputs did, for the row.
	Attack *record.Attack
	// Rate and Usage are what was measured exactly, for the row.
	Rate  *record.RateLimit
	Usage *record.Usage
	// Flows and Shown are likewise.
	Flows []record.FlowShare
	Shown []record.Shown
	// IPsec is what protecting N3 costs.
	IPsec *record.IPsec
}

// control is the SMF's side of an attempt: sessions and what the UPF answered and reported of them.
type control struct {
	*Bench
	Ctx     context.Context
	Fixture *Fixture

	sessions map[*UE]*Session
	changed  time.Time // when the last modification was answered since packets were judged; zero: none was
	lacking  error     // that a refusal lacks an IE
}

// traffic is the packets of an attempt, which its sessions' ledgers count.
type traffic struct {
	*control

	never []Sent // must not arrive, however late
	once  []Sent // must arrive once
	held  []Sent // are in the UPF's buffer
}

// Session is one that the UPF accepted.
type Session struct {
	Ours, Theirs uint64 // SEIDs
	Ledger       Ledger
	Answered     []n4.Usage // in answers to modifications and the deletion
	malformed    error      // the first of these that lacks an IE
	Asked        time.Time  // when it was asked for
	URRs         []uint32   // that it has, or has had
}

// Ledger counts T-PDUs and their octets at the tester's ends.
type Ledger struct {
	UpSent, UpGot, DownSent, DownGot inbox.Count
	Began                            time.Time // when the first of them had been sent
}

// Session is the one of a UE; nil: it has none.
func (t *control) Session(u *UE) *Session { return t.sessions[u] }

// ask sends a request. The error is a *Failure when it was not answered or the answer
// is malformed.
func (t *control) ask(what string, request []byte) (n4.Answer, error) {
	a, err := t.peer.Ask(t.Ctx, request, patience)
	if len(request) > 1 && pfcp.MessageType(request[1]) == pfcp.SessionModificationRequest {
		t.changed = time.Now()
	}
	if errors.Is(err, n4.ErrUnanswered) {
		return a, &fail.Failure{Verdict: record.VerdictWrong, Expected: what + " is answered", Observed: err.Error(),
			Symptom: fail.Unanswered, Soft: true, Silent: true}
	}
	var other *n4.SequenceError
	if errors.As(err, &other) {
		return a, fail.Because(fail.Sequence+strings.ReplaceAll(strings.ToLower((other.Answer-1).String()), " ", "-"),
			fail.Repeated(fail.Wrongf(what+" is answered with its sequence number", "%v", err)))
	}
	if err != nil && t.Ctx.Err() == nil {
		return a, fail.Wrongf(what+" is answered", "%v", err)
	}
	return a, err
}

// accepted is ask for a request that is to be accepted.
func (t *control) accepted(what string, request []byte) (n4.Answer, error) {
	a, err := t.ask(what, request)
	if err == nil && !a.Accepted() {
		return a, refusal(what, &a)
	}
	return a, err
}

func refusal(what string, a *n4.Answer) error {
	return &fail.Failure{Cause: a.Why(), Expected: what + " is accepted", Observed: "cause " + a.Why(), Symptom: fail.Refused, Refusal: true}
}

// refused is ask for a request that is to be refused.
func (t *control) refused(what string, request []byte) (n4.Answer, error) {
	a, err := t.ask(what, request)
	if err == nil && a.Accepted() {
		return a, fail.Because(fail.Accepted, fail.NotEnforcedf(what+" is refused", "it is accepted"))
	}
	if err == nil {
		t.explained(what, &a)
	}
	return a, err
}

// explained notes what a refusal lacks: it is the case's failure where its steps have no other.
func (t *control) explained(what string, a *n4.Answer) {
	t.lacking = fail.FirstOf(t.lacking, lackOf(what, a))
}

// lackOf holds a refusal to the IEs that go with its cause (TS 29.244 clauses 7.5.3.1 and 7.5.5.1).
func lackOf(what string, a *n4.Answer) error {
	switch uint8(a.Cause) {
	case ie.CauseMandatoryIEMissing, ie.CauseConditionalIEMissing, ie.CauseMandatoryIEIncorrect:
		if a.Offending == 0 {
			return fail.Because(fail.Offending, fail.NotEnforcedf("the refusal of "+what+" names the Offending IE", "cause %s, without one", a.Why()))
		}
	case ie.CauseRuleCreationModificationFailure:
		if a.Failed == nil {
			return fail.Because(fail.FailedRule, fail.NotEnforcedf("the refusal of "+what+" has the Failed Rule ID", "cause %s, without one", a.Why()))
		}
	}
	return nil
}

// Wait sleeps unless the run is interrupted.
func (t *control) Wait(d time.Duration) {
	_ = wait.Pause(t.Ctx, d)
}

// end deletes the sessions that are left, and holds the UPF to what must never arrive.
func (t *control) end() error {
	for _, s := range t.sessions {
		if s.Theirs != 0 {
			_, _ = t.peer.Ask(t.Ctx, t.peer.Delete(s.Theirs), n4.Patience{T1: 500 * time.Millisecond, Tries: 2})
		}
	}
	return nil
}

// stragglers finds what arrived after its step was judged.
func (t *traffic) stragglers() error {
	for _, p := range t.never {
		if got := t.Inbox.Of(p.Number); len(got) > 0 {
			return fail.Because(fail.Leaked, fail.NotEnforcedf(p.text+" goes nowhere", "it arrived at %s", got[0].Describe()))
		}
	}
	for _, p := range t.once {
		if got := t.Inbox.Of(p.Number); len(got) > len(p.wants) {
			return fail.Because(fail.Copies, fail.Wrongf(p.text+" arrives once", "it arrived %d times, last at %s", len(got), got[len(got)-1].Describe()))
		}
	}
	return nil
}

// unasked finds usage reports of URRs that no session has had.
func (t *control) unasked() error {
	for _, s := range t.sessions {
		if s.Asked.IsZero() {
			continue // its rules are the case's
		}
		list := s.Answered
		for _, r := range t.peer.Reports(s.Ours) {
			list = append(list[:len(list):len(list)], r.Usage...)
		}
		for _, u := range list {
			if !slices.Contains(s.URRs, u.URR) {
				return fail.Because(fail.Unasked, fail.Wrongf("usage reports are of the session's URRs", "one is of URR %d, which it does not have", u.URR))
			}
		}
	}
	return nil
}
