package n4

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// TestInactivity: the CP function is told once when no packet came for the time, and
// again when packets came and stopped; no usage report speaks of it.
func TestInactivity(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-inactivity")
	sent := b.listen()
	packet := func() {
		b.dp.Use(firstSEID, request.WatchURR, session.Count{Packets: 1, Octets: 7}, session.Count{}, b.now)
	}
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

// TestHeldPacketsAreActivity: a packet that is held is received, too; one that its FAR or gate drops by then is no traffic
// of the session (TS 29.244 table 7.5.2.1-1, TS 23.502 clause 4.3.7).
func TestHeldPacketsAreActivity(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Buffering = BufferHold })
	b.play("setup-holding", "establish-paging-inactivity")
	inactive := func() (n int) { return int(b.Counters().Reports) }
	b.listen()
	b.pass(15)
	b.come(1)
	paged := inactive()
	if b.pass(19); inactive() != paged {
		t.Fatal("the session is reported as inactive 19 s after a packet that is held")
	}
	if b.pass(3); inactive() != paged+1 {
		t.Fatalf("%d reports in 22 s after the packet, want one", inactive()-paged)
	}
	b.come(2) // the CP function knows of its flow
	if b.pass(23); inactive() != paged+2 {
		t.Errorf("%d reports in all after another packet, want two", inactive()-paged)
	}
	b.play("close-gate")
	b.come(3)
	if b.pass(60); inactive() != paged+2 {
		t.Errorf("%d reports after a packet that a closed gate drops, want two", inactive()-paged)
	}
}

// TestInactivityIsReportedOnce also where the process is killed and another goes on.
func TestInactivityIsReportedOnce(t *testing.T) {
	kept := &notebook{values: map[string]json.RawMessage{}}
	b := newBench(t, func(c *Config) { c.Keeper = kept })
	b.play("setup", "establish-inactivity")
	b.listen()
	b.pass(25)
	again := newBench(t, func(c *Config) { c.Keeper = kept })
	again.Restore(procedure.Kept{Recovery: started, Values: maps.Clone(kept.values)})
	again.now = b.now
	again.listen()
	again.pass(60)
	if was, now := b.Counters().Reports, again.Counters().Reports; was != 1 || now != 0 {
		t.Errorf("%d reports before, %d after, want one and none", was, now)
	}
}

// TestInactivityOfOthers: other changes leave the timer alone, and new PDRs are watched.
func TestInactivityOfOthers(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-inactivity", "modify-add")
	for _, p := range b.rules().PDRs {
		if len(p.URRs) != 1 || p.URRs[0] != request.WatchURR {
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
		b.dp.Use(firstSEID, b.rules().FindURR(request.WatchURR).Key(), session.Count{Octets: octets}, session.Count{}, b.now)
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
