package behaviour

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/record"
)

// enough sessions were accepted for a case of many; a UPF may refuse more.
const enough = 256

// CrowdPace is packets/s: nothing is asked of a UPF's speed.
const CrowdPace = 2500

// Crowd establishes sessions for so many UEs, or as many as the UPF takes, and sends each
// a packet in both directions.
func Crowd(g *Fixture, n int) Step {
	return Step{Text: fmt.Sprintf("establish %d sessions, send a packet in both directions of each", n), Do: func(t *T) error {
		var list []Packet
		for i := range min(n, g.Room()) {
			u := g.UE(i)
			s := Plain(u, g)
			_, err := t.establish(u, &s)
			if f, is := err.(*fail.Failure); is && f.Refusal && i >= enough {
				break
			}
			if err != nil {
				return err
			}
			list = append(list, Up(u, ""), Down(u, ""))
		}
		return t.Send(list, CrowdPace)
	}}
}

// Different establishes n sessions whose F-TEIDs the UPF chooses, and compares these.
func Different(g *Fixture, n int) Step {
	return Step{Text: fmt.Sprintf("establish %d sessions: their F-TEIDs differ", n), Do: func(t *T) error {
		seen := map[uint32]int{}
		for i := range n {
			u := g.UE(i)
			s := Plain(u, g)
			s.PDRs[0].TEID, s.PDRs[0].Choose = 0, true
			if _, err := t.establish(u, &s); err != nil {
				return err
			}
			if j, taken := seen[u.TEID]; taken {
				return fail.Wrongf("each session has an F-TEID of its own", "sessions %d and %d have TEID %#x", j+1, i+1, u.TEID)
			}
			seen[u.TEID] = i
		}
		return nil
	}}
}

// Churn sends packets through a session while others are established and deleted.
func Churn(g *Fixture, list ...Packet) Step {
	return meanwhile("while other sessions are established and deleted, ", list,
		func(t *T, done <-chan struct{}) error { return churn(t, g, done) })
}

// Changing sends packets through sessions while another one is changed again and again.
func Changing(u *UE, changes []rules.Change, list ...Packet) Step {
	return meanwhile("while another session is modified, ", list, func(t *T, done <-chan struct{}) error {
		for n := 0; ; n++ {
			select {
			case <-done:
				return nil
			case <-time.After(20 * time.Millisecond):
			}
			if _, err := t.modify(u, "a modification", &changes[n%len(changes)]); err != nil {
				return err
			}
		}
	})
}

// meanwhile sends packets, each of which has to arrive, while something is done until they are sent.
func meanwhile(text string, list []Packet, do func(t *T, done <-chan struct{}) error) Step {
	return Step{Text: text + describe(list), Do: func(t *T) error {
		const pps = 1000
		var sent []Sent
		var failed error
		done := make(chan struct{})
		go func() {
			defer close(done)
			sent, failed = t.transmit(list, pps)
		}()
		err := do(t, done)
		<-done
		if err != nil || failed != nil {
			return fail.FirstOf(err, failed)
		}
		t.Inbox.Await(t.Ctx, arriveWithin, func() bool { return t.complete(sent) })
		return t.judgeAll(sent)
	}}
}

// churn establishes and deletes sessions of a few UEs in turn until done.
func churn(t *T, g *Fixture, done <-chan struct{}) error {
	for n := 0; ; n++ {
		select {
		case <-done:
			return nil
		default:
		}
		u := g.UE(1 + n%min(8, max(1, g.Room()-1)))
		s := Plain(u, g)
		if _, err := t.establish(u, &s); err != nil {
			return err
		}
		a, err := t.accepted("a deletion", t.peer.Delete(t.sessions[u].Theirs))
		if err != nil {
			return err
		}
		_ = a
		delete(t.sessions, u)
	}
}

// Ordered sends packets at a rate: each arrives once, and in order.
func Ordered(pps int, p Packet) Step {
	return Step{Text: describe([]Packet{p}) + ", in order", Do: func(t *T) error {
		begin := t.number + 1
		if err := t.Send([]Packet{p}, pps); err != nil {
			return err
		}
		var last time.Time
		for n := begin; n <= t.number; n++ {
			at := t.Inbox.Of(n)[0].At
			if at.Before(last) {
				return &fail.Failure{Verdict: record.VerdictWrong, Soft: true, Symptom: fail.Order, Expected: p.Describe() + " arrives in order",
					Observed: fmt.Sprintf("packet %d of %d came before one that was sent earlier", n-begin+1, t.number-begin+1)}
			}
			last = at
		}
		return nil
	}}
}

// Same compares two answers to the same request.
func Same(a, b *n4.Answer) bool {
	return a.Cause == b.Cause && a.SEID == b.SEID && len(a.Created) == len(b.Created)
}
