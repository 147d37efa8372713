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

// TestRenewedInactivityTimer: a timer that is given again is due that long after, whether there were packets before or not.
func TestRenewedInactivityTimer(t *testing.T) {
	for _, octets := range []uint64{0, 500} {
		b := newBench(t, nil)
		b.play("setup", "establish-given")
		sent := b.listen()
		give := func(sequence byte) {
			b.raw([]byte{0x21, 52, 0, 20, 0, 0, 0, 0, 0, 0, 0, firstSEID, 0, 9, sequence, 0, 0, 117, 0, 4, 0, 0, 0, 80})
		}
		give(0)
		b.dp.Use(firstSEID, b.rules().FindURR(watchURR).Key(), session.Count{Octets: octets}, session.Count{}, b.now)
		b.pass(40)
		give(1)
		if b.pass(79); len(*sent) != 0 {
			t.Errorf("after %d octets: a report came before the time", octets)
		}
		if b.pass(1); len(*sent) != 1 {
			t.Errorf("after %d octets: %d reports when the time had passed, want one", octets, len(*sent))
		}
	}
}
