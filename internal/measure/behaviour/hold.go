package behaviour

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Held sends packets that must wait in the UPF.
func Held(list ...Packet) Step {
	return Step{Text: "the UPF holds " + describe(list)[len("send "):], Do: func(t *T) error {
		sent, err := t.transmit(list, pace)
		if err != nil {
			return err
		}
		t.Wait(Quiet)
		for i := range sent {
			if got := t.Inbox.Of(sent[i].Number); len(got) > 0 {
				err := fail.Because(fail.Leaked, fail.NotEnforcedf(sent[i].text+" is held", "it arrived at %s", got[0].Describe()))
				return t.diagnose(heldNowhere(sent), []int{i}, err)
			}
		}
		t.changed = time.Time{}
		t.held = append(t.held, sent...)
		return nil
	}}
}

// heldNowhere are packets that must not arrive.
func heldNowhere(sent []Sent) []Sent {
	list := slices.Clone(sent)
	for i := range list {
		p := list[i].Lost()
		list[i].Packet, list[i].wants = &p, nil
	}
	return list
}

// Released waits for the packets that were held: each once, and in their order.
func Released() Step {
	return released("the held packets arrive, in order", func(*Packet) bool { return true })
}

// ReleasedOf is Released of the packets that have the name of one: others stay in the buffer.
func ReleasedOf(p Packet) Step {
	return released("the held packets "+p.Name+" arrive, in order", func(of *Packet) bool { return of.Name == p.Name })
}

func released(text string, which func(*Packet) bool) Step {
	return Step{Text: text, Do: func(t *T) error {
		held := slices.DeleteFunc(slices.Clone(t.held), func(s Sent) bool { return !which(s.Packet) })
		t.Inbox.Await(t.Ctx, arriveWithin, func() bool { return t.complete(held) })
		t.book(held)
		var last time.Time
		for i := range held {
			p := &held[i]
			if err := t.judge(p); err != nil {
				return err
			}
			if at := t.Inbox.Of(p.Number)[0].At; at.Before(last) {
				return fail.Wrongf("held packets arrive in their order", "packet %d of %d came before the one sent before it", i+1, len(held))
			} else {
				last = at
			}
		}
		return nil
	}}
}

// Notified waits for a downlink data report that names a PDR.
func Notified(u *UE, pdr uint16) Step {
	expected := fmt.Sprintf("a downlink data report on PDR %d comes", pdr)
	return Step{Text: expected, Do: func(t *T) error {
		named := func(list []n4.Report) bool {
			for _, r := range list {
				for _, id := range r.PDRs {
					if r.Type&smf.DownlinkData != 0 && id == pdr {
						return true
					}
				}
			}
			return false
		}
		if list := t.peer.Await(t.Ctx, t.sessions[u].Ours, 2*time.Second, named); !named(list) {
			return fail.Because(fail.Report, fail.Repeated(fail.NotEnforcedf(expected, "%d session reports came, none of them that", len(list))))
		}
		t.Wait(Quiet)
		n := 0
		for _, r := range t.peer.Reports(t.sessions[u].Ours) {
			if r.Type&smf.DownlinkData != 0 && slices.Contains(r.PDRs, pdr) {
				n++
			}
		}
		if n > 1 {
			return fail.Because("report-again", fail.Wrongf("the first packet that is buffered is reported, once (TS 29.244 clause 8.2.26)", "%d reports came", n))
		}
		return nil
	}}
}

// Unnotified holds the UPF to no downlink data report.
func Unnotified(u *UE) Step {
	return Step{Text: "no downlink data report comes", Do: func(t *T) error {
		for _, r := range t.peer.Reports(t.sessions[u].Ours) {
			if r.Type&smf.DownlinkData != 0 {
				return fail.Wrongf("no downlink data report comes without NOCP", "one came")
			}
		}
		return nil
	}}
}
