package behaviour

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/record"
)

// fewestAtOnce sessions have to be accepted for F-TEIDs to be compared at all.
const fewestAtOnce = 64

// endpoint is an F-TEID.
type endpoint struct {
	teid uint32
	addr netip.Addr
}

// Unique establishes n sessions, or as many as the UPF takes, atOnce of them at a time. The
// UPF chooses their F-TEIDs, which have to differ; then a packet in each tunnel has to arrive.
func Unique(g *Fixture, n, atOnce int) Step {
	text := fmt.Sprintf("establish %d sessions, %d at a time: their F-TEIDs differ, and a packet in each tunnel arrives", n, atOnce)
	return Step{Text: text, Do: func(t *T) error {
		list := t.demands(g, 0, min(n, g.Room()), true)
		t.askAll(list, atOnce)
		taken, err := t.takeAll(list)
		if err != nil {
			return err
		}
		seen := map[endpoint]int{}
		var packets []Packet
		for i, d := range taken {
			at := endpoint{d.ue.TEID, d.ue.N3}
			if first, twice := seen[at]; twice {
				return fail.Wrongf("each session has an F-TEID of its own", "sessions %d and %d of %d have TEID %#x at %s",
					first+1, i+1, len(taken), at.teid, at.addr)
			}
			seen[at] = i
			packets = append(packets, Up(d.ue, "in the tunnel that the UPF chose"))
		}
		return t.Send(packets, CrowdPace)
	}}
}

// demand is an establishment that is asked for with others at the same time.
type demand struct {
	ue      *UE
	rules   rules.Session
	seid    uint64
	request []byte
	answer  n4.Answer
	err     error
}

// demands writes the establishments of n UEs; choose has the UPF choose the F-TEIDs.
func (t *control) demands(g *Fixture, from, n int, choose bool) []*demand {
	var list []*demand
	for i := from; i < from+n; i++ {
		u := g.UE(i)
		s := Plain(u, g)
		if choose {
			s.PDRs[0].TEID, s.PDRs[0].Choose = 0, true
		}
		d := &demand{ue: u, rules: *t.LeaveFTEIDs(u, &s), seid: t.peer.NextSEID()}
		d.request = t.peer.Establish(t.writer, t.peer.Node, d.seid, &d.rules)
		list = append(list, d)
	}
	return list
}

// askAll sends requests, atOnce of which may be unanswered at a time.
func (t *control) askAll(list []*demand, atOnce int) {
	work := make(chan *demand)
	var asking sync.WaitGroup
	for range atOnce {
		asking.Go(func() {
			for d := range work {
				d.answer, d.err = t.peer.Ask(t.Ctx, d.request, patience)
			}
		})
	}
	for _, d := range list {
		work <- d
	}
	close(work)
	asking.Wait()
}

// roomAtOnce is how many of Room's requests may be unanswered at a time.
const roomAtOnce = 16

// Room is how many of n sessions, of the UEs from one on, the UPF takes. They are deleted.
func (t *control) Room(from, n int) (accepted int, err error) {
	list := t.demands(t.Fixture, from, min(n, t.Fixture.Room()-from), false)
	t.askAll(list, roomAtOnce)
	var deletions []*demand
	for _, d := range list {
		if d.err == nil && d.answer.Accepted() {
			accepted++
			deletions = append(deletions, &demand{request: t.peer.Delete(d.answer.SEID)})
		}
	}
	t.askAll(deletions, roomAtOnce)
	return accepted, t.Ctx.Err()
}

// takeAll notes the sessions that were accepted, and gives them. Refusals are right once
// there are enough sessions.
func (t *control) takeAll(list []*demand) (taken []*demand, err error) {
	var refused *demand
	for _, d := range list {
		switch {
		case d.err != nil:
			err = fail.FirstOf(err, d.err)
		case d.answer.Accepted():
			t.Adopt(d.ue, d.seid, d.answer.SEID)
			taken = append(taken, d)
		case refused == nil:
			refused = d
		}
	}
	if t.Ctx.Err() != nil {
		return nil, t.Ctx.Err()
	}
	var other *n4.SequenceError
	if errors.As(err, &other) {
		return nil, fail.Repeated(fail.Wrongf(fmt.Sprintf("%d establishments at the same time are answered, each with its sequence number", len(list)), "%v", err))
	}
	if err != nil {
		return nil, &fail.Failure{Verdict: record.VerdictWrong, Soft: true, Silent: errors.Is(err, n4.ErrUnanswered),
			Expected: fmt.Sprintf("%d establishments at the same time are answered", len(list)), Observed: err.Error()}
	}
	if refused != nil && len(taken) < fewestAtOnce {
		return nil, refusal(fmt.Sprintf("session %d whose F-TEID the UPF chooses", len(taken)+1), &refused.answer)
	}
	for _, d := range taken {
		if err := t.TakeFTEID(d.ue, &d.rules, &d.answer); err != nil {
			return nil, err
		}
	}
	return taken, nil
}
