package n4

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/n4/hold"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/session"
)

// newPaging is a bench whose session buffers downlink packets, and what it sends: by
// PFCP, and into tunnels.
func newPaging(t *testing.T) (b *bench, reports *[][]byte, sent *[]string) {
	return newPagingOf(t, "establish-paging")
}

func newPagingOf(t *testing.T, establish string) (b *bench, reports *[][]byte, sent *[]string) {
	sent = &[]string{}
	b = newBench(t, func(c *Config) {
		c.Buffering = BufferHold
		c.Forward = func(to forward.Tunnel, tpdu []byte) {
			*sent = append(*sent, fmt.Sprintf("%d by %#x to %v, TTL %d", tpdu[20], to.TEID, to.Peer, tpdu[8]))
		}
	})
	b.play("setup-holding", establish)
	return b, b.listen(), sent
}

// come has packets for the UE arrive, and be held.
func (b *bench) come(numbers ...byte) { b.comeTo(2, numbers...) }

// comeTo has packets of a PDR arrive.
func (b *bench) comeTo(pdr uint16, numbers ...byte) {
	for _, n := range numbers {
		ip := []byte{0x45, 0xb8, 0, 21, 0, 0, 0, 0, 64, 17, 0, 0, 198, 51, 100, 2, 10, 45, 0, 2, n}
		checksum.Put(ip[10:], checksum.Finish(checksum.Sum(ip[:20])))
		b.dp.Hold(datapath.Held{SEID: firstSEID, PDR: pdr, TPDU: ip})
	}
	for len(b.held.Arrivals) > 0 {
		b.handed.Hold(<-b.held.Arrivals, b.now)
	}
}

// TestPaging: the CP function is told of the first packet, once; what is held comes out
// in order when the FAR forwards, and counts then.
func TestPaging(t *testing.T) {
	b, reports, sent := newPaging(t)
	b.come(1, 2, 3)
	b.wantSent(*reports, []string{"report-downlink"})
	if len(*sent) != 0 {
		t.Fatalf("sent before the UE was found: %v", *sent)
	}
	b.play("paged")
	b.come(4) // one that came before the datapath forwarded
	want := []string{"1 by 0x2 to [192 0 2 1], TTL 63", "2 by 0x2 to [192 0 2 1], TTL 63",
		"3 by 0x2 to [192 0 2 1], TTL 63", "4 by 0x2 to [192 0 2 1], TTL 63"}
	if fmt.Sprint(*sent) != fmt.Sprint(want) {
		t.Errorf("sent %v\nwant %v", *sent, want)
	}
	u, err := b.dp.Usage(firstSEID, 1)
	if err != nil || u.Downlink != (session.Count{Packets: 4, Octets: 84}) {
		t.Errorf("counted %+v, %v", u, err)
	}
	if n := b.held.Octets.Load(); n != 0 {
		t.Errorf("%d octets are still counted as held", n)
	}
}

// TestHeldPacketsAreReported: packets that leave after they were held reach a threshold or a quota, and are the start of
// traffic, as others are (TS 29.244 clauses 5.2.2.2.1 and 5.2.2.3.1).
func TestHeldPacketsAreReported(t *testing.T) {
	for _, limit := range []string{"threshold", "quota", "start"} {
		b, reports, sent := newPagingOf(t, "establish-paging-"+limit)
		b.come(1, 2, 3)
		b.play("paged")
		b.settle()
		if len(*sent) != 3 {
			t.Errorf("%s: %d packets are sent, want 3", limit, len(*sent))
		}
		b.wantSent(*reports, []string{"report-downlink", "report-held-" + limit})
	}
}

// TestPagingOfEachFlow: the CP function is told of the first packet of each QoS flow, whatever became of the others
// (TS 23.502 clause 4.2.3.3 step 2a).
func TestPagingOfEachFlow(t *testing.T) {
	b, reports, _ := newPagingOf(t, "establish-flows")
	for range 2 {
		b.comeTo(2, 1)
		b.comeTo(4, 2)
	}
	b.wantSent(*reports, []string{"report-downlink", "report-downlink-other"})
	b.play("paged")
	b.comeTo(4, 3)
	b.play("page-again")
	b.comeTo(2, 4)
	b.comeTo(4, 5)
	b.wantSent(*reports, []string{"report-downlink", "report-downlink-other", "report-downlink-again"})
}

// TestFlowsOfOneFAR: packets of one FAR are of one flow, unless their QERs give them other QFIs.
func TestFlowsOfOneFAR(t *testing.T) {
	l := hold.New(nil, false, nil, tally.New())
	ue, now := netip.MustParseAddr("10.45.0.2"), time.Now()
	rules := &session.Rules{SEID: 1, FARs: []session.FAR{{ID: 3, Action: session.Buffer | session.Notify}},
		QERs: []session.QER{{ID: 1, QFI: 1, GateDL: true}, {ID: 2, QFI: 2, GateDL: true}, {ID: 3, QFI: 2, GateDL: true}}}
	for id := range uint16(3) {
		rules.PDRs = append(rules.PDRs, session.PDR{ID: id + 1, FAR: 3, QERs: []uint32{uint32(id) + 1}, PDI: session.PDI{Source: session.Core, UE: ue}})
	}
	var b hold.Buffer
	for i, want := range []bool{true, true, false} {
		due := l.Take(&b, datapath.Held{SEID: 1, PDR: uint16(i) + 1, TPDU: make([]byte, 20)}, rules, now)
		if got := !due.IsZero(); got != want {
			t.Errorf("PDR %d: told %v, want %v", i+1, got, want)
		}
	}
}

// TestClosedGateDoesNotPage: a packet that its gate drops does not wait, and the CP function is not told.
func TestClosedGateDoesNotPage(t *testing.T) {
	b, reports, sent := newPaging(t)
	b.play("close-gate")
	b.come(1, 2)
	b.play("open-gate") // of downlink packets; that of uplink ones is closed
	if n := b.Counters().Buffered; n != 0 || len(*reports) != 0 {
		t.Errorf("%d packets wait, and the CP function is told %d times, want none", n, len(*reports))
	}
	b.come(3)
	b.wantSent(*reports, []string{"report-downlink"})
	b.play("paged")
	if len(*sent) != 1 {
		t.Errorf("sent %v, want the third packet", *sent)
	}
}

// TestUpdateBARInAnswer: an SMF changes a BAR by its answer to a report (TS 29.244 table 7.5.9.2-1).
func TestUpdateBARInAnswer(t *testing.T) {
	for _, c := range []struct {
		answer string
		lost   uint64 // of five packets
		delay  time.Duration
	}{
		{"answer-bar", 3, 0},
		{"answer-bar-delay", 0, 200 * time.Millisecond},
		{"answer-bar-unknown", 0, 0},
		{"answer-bar-no-id", 0, 0},
	} {
		t.Run(c.answer, func(t *testing.T) {
			b, _, _ := newPaging(t)
			b.come(1)
			b.raw(b.pairs[c.answer].request)
			b.come(2, 3, 4, 5)
			if n := b.Counters().BufferLost; n != c.lost {
				t.Errorf("%d packets are lost, want %d", n, c.lost)
			}
			if got := b.rules().FindBAR(3).Delay; got != c.delay {
				t.Errorf("the BAR's delay is %v, want %v", got, c.delay)
			}
			b.play("paged")
		})
	}
}

// TestPagingIsBounded: the BAR says how many packets wait; the others are lost, and
// counted.
func TestPagingIsBounded(t *testing.T) {
	b, _, sent := newPaging(t)
	b.come(1, 2, 3, 4, 5, 6, 7)
	b.play("paged")
	if c := b.Counters(); len(*sent) != 5 || c.BufferLost != 2 || c.Buffered != 5 || c.BufferSent != 5 {
		t.Errorf("%d sent, counters %+v: want 5 sent and 2 lost", len(*sent), c)
	}
}

// TestUpdateBARInAnswerOfASet: so does an SMF of a set.
func TestUpdateBARInAnswerOfASet(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Buffering = BufferHold })
	b.raw(b.pairs["set-setup"].request)
	b.play("establish-paging")
	b.listen()
	b.come(1)
	b.raw(b.pairs["answer-bar"].request)
	b.come(2, 3, 4, 5)
	if n := b.Counters().BufferLost; n != 3 {
		t.Errorf("%d packets are lost, want 3", n)
	}
}

// TestPagingDelay: the CP function is told after the BAR's delay.
func TestPagingDelay(t *testing.T) {
	b, reports, _ := newPaging(t)
	b.play("delay")
	b.come(1)
	b.now = b.now.Add(199 * time.Millisecond)
	b.settle()
	b.wantSent(*reports, nil)
	b.now = b.now.Add(time.Millisecond)
	b.settle()
	b.settle()
	b.wantSent(*reports, []string{"report-downlink"})
}

// TestHeldIsDropped: on request, and with the session.
func TestHeldIsDropped(t *testing.T) {
	for _, end := range []string{"drop-held", "release"} {
		b, _, sent := newPaging(t)
		b.come(1, 2)
		b.play(end)
		if end == "drop-held" {
			b.play("paged")
		}
		if n := b.held.Octets.Load(); len(*sent) != 0 || n != 0 {
			t.Errorf("%s: %d sent, %d octets held: want none", end, len(*sent), n)
		}
	}
}

// TestHeldIsDroppedWhenTheFARForwards: DROBU counts before the new action (TS 29.244
// clause 8.2.53).
func TestHeldIsDroppedWhenTheFARForwards(t *testing.T) {
	b, _, sent := newPaging(t)
	b.come(1, 2)
	b.play("paged-drop-held")
	if n := b.held.Octets.Load(); len(*sent) != 0 || n != 0 {
		t.Errorf("%d sent, %d octets held: want none", len(*sent), n)
	}
}

// TestBARs: references to BARs are checked.
func TestBARs(t *testing.T) {
	b, _, _ := newPaging(t)
	b.play("remove-used-bar", "update-unknown-bar")
}
