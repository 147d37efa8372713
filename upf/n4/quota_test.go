package n4

import (
	"testing"

	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// TestQuotaAction: when a quota is used up the datapath is to have its packets go by the FAR that was given for that, which
// it has from the beginning, until there is more.
func TestQuotaAction(t *testing.T) {
	for story, reports := range map[string][]string{"establish-action": {"report-action"}, "establish-action-silent": nil} {
		b := newBench(t, nil)
		b.play("setup", story)
		sent := b.listen()
		b.wantAction(story, false)
		b.pass(10)
		b.use(traffic{999, 0})
		b.settle()
		b.wantAction(story, false)
		b.use(traffic{1, 0})
		b.settle()
		b.wantAction(story, true)
		if reports != nil {
			b.wantSent(*sent, reports)
		}
		b.use(traffic{500, 0})
		b.settle()
		b.play("more-action")
		b.wantAction(story, false)
		b.use(traffic{500, 0})
		b.settle()
		b.wantAction(story, true)
		b.play("action-far-removed")
	}
}

// TestQuotaActionByTime: the same of a quota of time.
func TestQuotaActionByTime(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-action-time")
	b.listen()
	b.pass(10)
	b.use(traffic{7, 0})
	b.settle()
	b.pass(4)
	b.wantAction("before", false)
	b.pass(1)
	b.wantAction("after", true)
}

// wantAction wants that the datapath has the quota of URR 1 as used up, or not, and the FAR for that.
func (b *bench) wantAction(story string, usedUp bool) {
	b.t.Helper()
	u, err := b.dp.Usage(firstSEID, 1)
	if err != nil {
		b.t.Fatal(err)
	}
	if l := b.dp.Limits(firstSEID, 1); (l.Closed || u.Octets().Reached(l.Quota)) != usedUp {
		b.t.Errorf("%s: counted %+v, limits %+v: used up is not %v", story, u.Octets(), l, usedUp)
	}
	if r := b.rules(); r.URRs[0].Asked.QuotaFAR != 3 || r.FindPDR(1).FAR != 1 || r.FindPDR(2).FAR != 2 {
		b.t.Errorf("%s: the rules are %+v", story, r)
	}
}

// TestQuotaActionIsRefused where its FAR is not there, or cannot be that of the PDR.
func TestQuotaActionIsRefused(t *testing.T) {
	for _, name := range []string{"action-unknown-far", "action-unfit"} {
		newBench(t, nil).play("setup", name)
	}
	r := &session.Rules{FARs: []session.FAR{{ID: 4, Action: session.Buffer}},
		URRs: []session.URR{{ID: 1, Asked: session.URRParameters{QuotaFAR: 4}}}}
	if err := usage.CheckQuotaActions(r, session.All); err == nil {
		t.Error("a FAR that buffers is taken")
	}
}
