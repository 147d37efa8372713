package pfcp

import (
	"testing"

	"github.com/upflab/upflab/upf/session"
)

// TestQuotaAction: when a quota is used up its packets go by the FAR that was given for that,
// until there is more.
func TestQuotaAction(t *testing.T) {
	for story, reports := range map[string][]string{"establish-action": {"report-action"}, "establish-action-silent": nil} {
		b := newBench(t, nil)
		b.play("setup", story)
		sent := b.listen()
		b.wantAction(story, 1, 2)
		b.pass(10)
		b.use(traffic{999, 0})
		b.settle()
		b.wantAction(story, 1, 2)
		b.use(traffic{1, 0})
		b.settle()
		b.wantAction(story, 3, 2)
		if l := b.rules().URRs[0].Limits; l.Closed || l.Quota != (session.Octets{}) {
			t.Errorf("%s: limits %+v, which let nothing pass", story, l)
		}
		if reports != nil {
			b.wantSent(*sent, reports)
		}
		b.use(traffic{500, 0})
		b.settle()
		b.play("more-action")
		b.wantAction(story, 1, 2)
		b.use(traffic{500, 0})
		b.settle()
		b.wantAction(story, 3, 2)
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
	b.wantAction("before", 1, 2)
	b.pass(1)
	b.wantAction("after", 3, 2)
}

func (b *bench) wantAction(story string, up, down uint32) {
	b.t.Helper()
	if r := b.rules(); r.FindPDR(1).FAR != up || r.FindPDR(2).FAR != down {
		b.t.Errorf("%s: FARs are %d and %d, want %d and %d", story, r.FindPDR(1).FAR, r.FindPDR(2).FAR, up, down)
	}
}

// TestQuotaActionIsRefused where its FAR is not there, or cannot be that of the PDR.
func TestQuotaActionIsRefused(t *testing.T) {
	for _, name := range []string{"action-unknown-far", "action-unfit"} {
		newBench(t, nil).play("setup", name)
	}
	r := &session.Rules{FARs: []session.FAR{{ID: 4, Action: session.Buffer}},
		URRs: []session.URR{{ID: 1, Asked: session.URRParameters{QuotaFAR: 4}}}}
	if err := checkQuotaActions(r, session.All); err == nil {
		t.Error("a FAR that buffers is taken")
	}
}
