package traffic

import (
	"math/rand/v2"
	"testing"
)

// TestDeal: of any schedule each slot is one source's, that of its session, and Slots
// counts them.
func TestDeal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		of, sessions := 1+r.IntN(5), []int{1 + r.IntN(9), 1 + r.IntN(9)}
		lanes := []int{r.IntN(7), r.IntN(7)}[:r.IntN(3)]
		var first []int
		if r.IntN(2) == 0 {
			first = []int{r.IntN(of), r.IntN(of)}
		}
		var q Sequence
		for range r.IntN(12) {
			q = append(q, Slot{Flow: uint8(r.IntN(2))})
		}
		warmup, n := r.IntN(40), r.IntN(100)
		owners := dealt(q, sessions, Share{Of: of, Lanes: lanes, First: first}, warmup, n)
		var sum uint64
		for source := range of {
			d := Share{Source: source, Of: of, Lanes: lanes, First: first}
			got := d.Slots(q, sessions, uint64(warmup), uint64(n))
			if got != owners[source] {
				t.Fatalf("%+v of %v sessions, sequence %v, slots %d to %d: %d, want %d", d, sessions, q, warmup, warmup+n, got, owners[source])
			}
			sum += got
		}
		if sum != uint64(n) {
			t.Fatalf("%d of %d slots are somebody's", sum, n)
		}
	}
}

// dealt counts slots one by one, as a source goes through them.
func dealt(q Sequence, sessions []int, d Share, warmup, n int) []uint64 {
	owners, next := make([]uint64, d.Of), make([]int, len(sessions))
	for slot := range warmup + n {
		entry := slot
		if slot >= warmup {
			entry -= warmup // the trial begins at the first
		}
		flow := q.At(uint64(entry)).Flow
		session := next[flow]
		next[flow] = (session + 1) % sessions[flow]
		lanes, first := d.Of, 0
		if int(flow) < len(d.Lanes) && d.Lanes[flow] > 0 {
			lanes = d.Lanes[flow]
		}
		if int(flow) < len(d.First) {
			first = d.First[flow]
		}
		if slot >= warmup {
			owners[(first+session%lanes)%d.Of]++
		}
	}
	return owners
}

// TestDealOfOne: a source that is alone has all sessions.
func TestDealOfOne(t *testing.T) {
	for _, d := range []Share{{}, {Of: 1}, {Of: 1, Lanes: []int{3}}} {
		if !d.Owns(0, 0) || !d.Owns(1, 5) || d.Several() || d.Slots(nil, []int{3}, 2, 7) != 7 {
			t.Errorf("%+v does not send everything", d)
		}
	}
}
