package behaviour

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Ask sends a request that a case writes itself, and checks the answer.
func Ask(text string, build func(*T) []byte, check func(*T, *n4.Answer) error) Step {
	return Step{Text: text, Do: func(t *T) error {
		a, err := t.ask(text, build(t))
		if err != nil {
			return err
		}
		return check(t, &a)
	}}
}

// Accept is the check of an answer that has to accept.
func Accept(what string) func(*T, *n4.Answer) error {
	return func(_ *T, a *n4.Answer) error {
		if !a.Accepted() {
			return refusal(what, a)
		}
		return nil
	}
}

// Refuse is the check of an answer that has to refuse, with one of the causes; any when
// none is given.
func Refuse(what string, causes ...uint8) func(*T, *n4.Answer) error {
	return func(t *T, a *n4.Answer) error {
		if a.Accepted() {
			return fail.Because(fail.Accepted, fail.NotEnforcedf(what+" is refused", "it is accepted"))
		}
		if len(causes) == 0 || slices.Contains(causes, uint8(a.Cause)) {
			t.explained(what, a)
			return nil
		}
		f := fail.Wrongf(what+" is refused with cause "+causeName(causes[0]), "cause %s", a.Why()).(*fail.Failure)
		f.Cause = a.Why()
		return f
	}
}

func causeName(c uint8) string { a := n4.Answer{Cause: pfcp.Cause(c)}; return a.Why() }

// Tell sends datagrams to N4 that need no answer.
func Tell(text string, build func(*T) [][]byte) Step {
	return Step{Text: text, Do: func(t *T) error {
		for _, b := range build(t) {
			if err := t.peer.Send(b); err != nil {
				return err
			}
		}
		t.Wait(behind)
		return nil
	}}
}

// Lives asks whether the UPF answers a heartbeat.
func Lives() Step {
	return Ask("a heartbeat", func(t *T) []byte { return t.peer.Heartbeat() }, func(*T, *n4.Answer) error { return nil })
}

// Signal sends a GTP-U message from the gNB, and waits for an answer of a type in which nothing differs. answer says what
// that is, and differs what is wrong with one; "": nothing.
func Signal(text string, message func(*T) []byte, typ gtpu.MessageType, answer string, differs func(*inbox.Arrival) string) Step {
	return Step{Text: text + ": " + answer, Do: func(t *T) error {
		o := packet.Outer{From: t.Fixture.GNB(0), To: t.Fixture.UPF}
		if err := t.Lab.N3().Send(o.Carry(message(t))); err != nil {
			return err
		}
		came := func() []inbox.Arrival {
			return t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return a.N3 && a.Tunnelled && a.Header.Type == typ })
		}
		right := func() bool {
			return slices.ContainsFunc(came(), func(a inbox.Arrival) bool { return differs(&a) == "" })
		}
		if t.Inbox.Await(t.Ctx, arriveWithin, right) {
			return nil
		}
		expected := text + " is answered with " + answer
		if list := came(); len(list) > 0 {
			return fail.Because(fail.Signal, fail.Repeated(fail.Wrongf(expected, "%s came: %s", typ, differs(&list[0]))))
		}
		return fail.Because(fail.Unanswered+"-gtpu", fail.Repeated(fail.NotEnforcedf(expected, "no %s came", typ)))
	}}
}

// Answered sends a GTP-U message from the gNB and checks the answer. That none comes is the finding
// of another case.
func Answered(text string, message func(*T) []byte, answer gtpu.MessageType, check func(*inbox.Arrival) error) Step {
	return Step{Text: text + ": look into its answer", Do: func(t *T) error {
		o := packet.Outer{From: t.Fixture.GNB(0), To: t.Fixture.UPF}
		if err := t.Lab.N3().Send(o.Carry(message(t))); err != nil {
			return err
		}
		match := func(a *inbox.Arrival) bool { return a.N3 && a.Tunnelled && a.Header.Type == answer }
		if !t.Inbox.Await(t.Ctx, arriveWithin, func() bool { return len(t.Inbox.Unmarked(match)) > 0 }) {
			return fail.Repeated(fail.Inapplicable("%s is not answered", text))
		}
		return check(&t.Inbox.Unmarked(match)[0])
	}}
}

// Silent waits and holds the UPF to no GTP-U message of a type.
func Silent(what gtpu.MessageType) Step {
	return Step{Text: "no " + what.String() + " comes", Do: func(t *T) error {
		t.Wait(Quiet)
		if got := t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return a.Tunnelled && a.Header.Type == what }); len(got) > 0 {
			return fail.Wrongf("no "+what.String()+" comes", "one came for TEID %#x", got[0].Header.TEID)
		}
		return nil
	}}
}

// NoErrorIndication waits and holds the UPF to no Error Indication for the tunnel of a UE's session.
func NoErrorIndication(u *UE) Step {
	expected := fmt.Sprintf("no %s comes", gtpu.ErrorIndication)
	return Step{Text: expected, Do: func(t *T) error {
		t.Wait(Quiet)
		for _, a := range t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return a.Tunnelled && a.Header.Type == gtpu.ErrorIndication }) {
			teid, _, err := gtpu.ParseErrorIndication(a.Header.Payload)
			switch {
			case err != nil:
				return fail.Wrongf(expected, "one came that cannot be read: %v", err)
			case teid == u.TEID:
				return fail.Wrongf(expected, "one came for TEID %#x, that of the session", teid)
			}
		}
		return nil
	}}
}

// Wait lets time pass.
func Wait(d time.Duration) Step {
	return Step{Text: "wait " + d.String(), Do: func(t *T) error { t.Wait(d); return nil }}
}

// Peer is the SMF.
func (t *control) Peer() *n4.Peer { return t.peer }

// Writer writes rules in the UPF's dialect.
func (t *control) Writer() *smf.Writer { return t.writer }

// Adopt takes a session over that a case established by itself.
func (t *control) Adopt(u *UE, ours, theirs uint64) {
	t.sessions[u] = &Session{Ours: ours, Theirs: theirs}
	t.peer.Belongs(ours, theirs)
}
