package pfcp

import (
	"testing"

	"github.com/upflab/upflab/upf/session"
)

// TestInactivity: the CP function is told once when no packet came for the time, and
// again when packets came and stopped; no usage report speaks of it.
func TestInactivity(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-inactivity")
	sent := b.listen()
	packet := func() { b.dp.Use(firstSEID, watchURR, session.Count{Packets: 1, Octets: 7}, session.Count{}, b.now) }
	b.pass(10)
	packet()
	b.pass(19)
	b.wantSent(*sent, nil)
	b.pass(5) // it is looked all 2.5 s
	b.wantSent(*sent, []string{"report-inactivity"})
	b.raw(b.pairs["report-inactivity"].answer)
	b.pass(100)
	b.wantSent(*sent, []string{"report-inactivity"})
	packet()
	b.pass(25)
	if len(*sent) != 2 {
		t.Fatalf("%d reports, want one more after more packets", len(*sent))
	}
	b.play("query-all-watched", "inactivity-off")
	packet()
	b.pass(100)
	if len(*sent) != 2 || len(b.rules().URRs) != 0 || len(b.rules().PDRs[0].URRs) != 0 {
		t.Errorf("%d reports and rules %+v after it was taken back", len(*sent), b.rules())
	}
	b.play("delete")
}

// TestInactivityOfOthers: other changes leave the timer alone, and new PDRs are watched.
func TestInactivityOfOthers(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-inactivity", "modify-add")
	for _, p := range b.rules().PDRs {
		if len(p.URRs) != 1 || p.URRs[0] != watchURR {
			t.Errorf("PDR %d has the URRs %v", p.ID, p.URRs)
		}
	}
	b.play("delete")
}
