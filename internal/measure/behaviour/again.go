package behaviour

import (
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
)

// settled is after how long a change that takes effect late has done so.
const settled = time.Second

// mostAgain bounds how many packets are sent again.
const mostAgain = 8

// diagnose sends packets again that failed. Where they are right then, the fault is not of the rule that their case asks
// for: it is one of time, or of some packets, and is the same in all cases. Such a failure gets the symptom of that fault;
// others stay as they are.
func (t *traffic) diagnose(sent []Sent, failed []int, err error) error {
	if err == nil {
		return nil
	}
	fresh := t.changedBefore(sent, failed) && (len(sent) < 20 || len(failed)*10 >= len(sent))
	symptom := fail.SymptomOf(err)
	lost := strings.HasPrefix(symptom, fail.Lost) || symptom == fail.Loss
	switch {
	case fresh && lost && t.right(sent, failed, 1):
		return fail.Also(fail.Because(fail.LostAfter, err), "; when it was sent again 1 s later, it arrived: packets are lost after a modification is answered")
	case fresh && !lost && slices.Contains(ofRules, symptom) && t.right(sent, failed, 1):
		return fail.Also(fail.Because(fail.LateChange, err), "; when it was sent again 1 s later, it was right: the change takes effect after its answer")
	case symptom == fail.Tunnel && t.right(sent, failed[:1], 3):
		return fail.Also(fail.Because(fail.SomeTunnel, err), "; when it was sent again, it was right: some packets go to another tunnel")
	}
	return err
}

// changedBefore reports whether a session was modified so shortly before those that failed that the change may not have
// taken effect.
func (t *traffic) changedBefore(sent []Sent, failed []int) bool {
	return !t.changed.IsZero() && !slices.ContainsFunc(failed, func(i int) bool { return sent[i].at.Sub(t.changed) > settled })
}

// ofRules are symptoms of packets that are dealt with by other rules than those that there are.
var ofRules = []string{fail.Ignored, fail.Leaked, fail.Place, fail.Tunnel, "qfi", "rqi"}

// right sends those that failed again, so many copies of each, and reports whether each is right; of several copies one.
// They count nowhere.
func (t *traffic) right(sent []Sent, failed []int, copies int) bool {
	if !t.changed.IsZero() {
		t.Wait(settled)
	}
	var list []Packet
	seen := map[*Packet]bool{}
	for _, i := range failed {
		if p := sent[i].Packet; !seen[p] && len(list) < mostAgain {
			seen[p] = true
			list = append(list, p.Times(copies))
		}
	}
	again, err := t.transmit(list, CrowdPace)
	if err != nil {
		return false
	}
	t.Inbox.Await(t.Ctx, arriveWithin, func() bool { return t.complete(again) })
	t.Wait(t.silence(again))
	for copied := range slices.Chunk(again, copies) {
		if !slices.ContainsFunc(copied, func(p Sent) bool { return t.judge(&p) == nil }) {
			return false
		}
	}
	return t.Ctx.Err() == nil
}
