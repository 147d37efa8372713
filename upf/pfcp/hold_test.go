package pfcp

import (
	"fmt"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// newPaging is a bench whose session buffers downlink packets, and what it sends: by
// PFCP, and into tunnels.
func newPaging(t *testing.T) (b *bench, reports *[][]byte, sent *[]string) {
	sent = &[]string{}
	b = newBench(t, func(c *Config) {
		c.Buffering = BufferHold
		c.Forward = func(to forward.Tunnel, tpdu []byte) {
			*sent = append(*sent, fmt.Sprintf("%d by %#x to %v, TTL %d", tpdu[20], to.TEID, to.Peer, tpdu[8]))
		}
	})
	b.play("setup-holding", "establish-paging")
	return b, b.listen(), sent
}

// come has packets for the UE arrive, and be held.
func (b *bench) come(numbers ...byte) {
	for _, n := range numbers {
		ip := []byte{0x45, 0xb8, 0, 21, 0, 0, 0, 0, 64, 17, 0, 0, 198, 51, 100, 2, 10, 45, 0, 2, n}
		checksum.Put(ip[10:], checksum.Finish(checksum.Sum(ip[:20])))
		b.dp.Hold(datapath.Held{SEID: firstSEID, PDR: 2, TPDU: ip})
	}
	for len(b.held.arrivals) > 0 {
		b.hold(<-b.held.arrivals, b.now)
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
	if n := b.held.octets.Load(); n != 0 {
		t.Errorf("%d octets are still counted as held", n)
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
		if n := b.held.octets.Load(); len(*sent) != 0 || n != 0 {
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
	if n := b.held.octets.Load(); len(*sent) != 0 || n != 0 {
		t.Errorf("%d sent, %d octets held: want none", len(*sent), n)
	}
}

// TestBARs: references to BARs are checked.
func TestBARs(t *testing.T) {
	b, _, _ := newPaging(t)
	b.play("remove-used-bar", "update-unknown-bar")
}
