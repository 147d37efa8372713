package receive

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// history is the plain model of a stream: it remembers every arrival.
type history struct {
	order []uint64 // numbers as they came, without duplicates
	next  uint64
	lost  map[uint64]bool // came too late for the window
}

func (h *history) verdict(seq uint64) verdict {
	result := inOrder
	switch {
	case seq >= h.next:
		h.next = seq + 1
	case h.next-seq > reach-64:
		h.lost[seq] = true
		result = reordered
	case slices.Contains(h.order, seq):
		return duplicate
	default:
		result = reordered
	}
	h.order = append(h.order, seq)
	return result
}

// extent is RFC 4737 clause 4.2.2, i - j, for the newest arrival.
func (h *history) extent() uint64 {
	last := len(h.order) - 1
	for j, seq := range h.order[:last] {
		if seq > h.order[last] {
			return uint64(last - j)
		}
	}
	return 0
}

func (h *history) runs(sent uint64) []traffic.LossRun {
	there := map[uint64]bool{}
	for _, seq := range h.order {
		there[seq] = !h.lost[seq]
	}
	var r runs
	var run uint64
	for seq := range sent {
		if !there[seq] {
			run++
			continue
		}
		r.end(&run)
	}
	r.end(&run)
	return r.list()
}

// A stream with loss, duplicates and reordering is followed as the model does.
func TestTrackAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for trial := uint16(2); trial < 60; trial += 2 {
		h := history{lost: map[uint64]bool{}}
		var k track
		var lost runs
		var at uint64
		for n := range 800 {
			seq := at
			switch r.IntN(8) {
			case 0: // back
				seq -= min(seq, uint64(1+r.IntN(1<<r.IntN(7))))
			case 1: // a gap
				at += uint64(r.IntN(1 << r.IntN(12)))
				seq = at
				at++
			default:
				at++
			}
			if h.next > seq && h.next-seq > reach-64 {
				continue // a copy cannot be told, and the model could
			}
			want := h.verdict(seq)
			if got := k.sequence(seq, trial, &lost); got != want {
				t.Fatalf("trial %d, arrival %d, number %d with %d next: %d, want %d", trial, n, seq, h.next, got, want)
			}
			if want != reordered {
				continue
			}
			if got, exact := k.extent(seq), h.extent(); got != exact && got != 0 {
				t.Fatalf("trial %d, arrival %d: extent %d, want %d", trial, n, got, exact)
			}
		}
		sent := h.next + uint64(r.IntN(5))
		k.finish(sent, &lost)
		if got, want := lost.list(), h.runs(sent); !slices.Equal(got, want) {
			t.Fatalf("trial %d: runs %v, want %v", trial, got, want)
		}
	}
}

func TestRunsOfAStreamThatNeverArrived(t *testing.T) {
	var k track
	var lost runs
	k.finish(5000, &lost)
	if got := lost.list(); len(got) != 1 || got[0] != (traffic.LossRun{Length: 5000, Count: 1}) {
		t.Errorf("runs %v, want one of 5000", got)
	}
}

// Neighbours in the sending order are compared, whichever comes first.
func TestVariation(t *testing.T) {
	r := New(testFlow(t, "uplink"))
	r.Begin(testTrial)
	for _, p := range []struct{ seq, delay uint64 }{{0, 100}, {1, 130}, {3, 500}, {2, 90}, {5, 7}} {
		r.take(&signature.Signature{Sequence: p.seq, Intended: 1000, Sent: 1000}, &r.tracks[0], 60, 1000+p.delay, false)
	}
	// |130-100|, then 2 between its neighbours: |90-130| and |90-500|.
	if r.ipdv.Count != 3 || r.ipdv.Sum != 30+40+410 || r.ipdv.Max != 410 {
		t.Errorf("%d differences, sum %d, max %d", r.ipdv.Count, r.ipdv.Sum, r.ipdv.Max)
	}
}
