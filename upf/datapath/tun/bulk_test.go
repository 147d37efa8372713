package tun

import (
	"slices"
	"testing"
)

// TestBulk: the kernel's thread gets many packets that are apart, and no packet is written past
// those that wait for it.
func TestBulk(t *testing.T) {
	const ms = 1_000_000
	many := []batchOf{{packets: 32, runs: 32}, {packets: 32, runs: 32}, {packets: 32, runs: 32}, {packets: 32, runs: 32, thread: true}}
	for _, c := range []struct {
		name          string
		before, after []batchOf
	}{
		{"few go on inside their write", nil, []batchOf{{now: 0, packets: 31, runs: 31}}},
		{"many after a pause", nil, []batchOf{{now: 0, packets: 90, runs: 90}, {now: ms, packets: 40, runs: 40},
			{now: 2 * ms, packets: 2, runs: 2}, {now: 3 * ms, packets: 90, runs: 90}}},
		{"many that are apart", many, []batchOf{{now: ms, packets: 400, runs: 380, thread: true}}},
		{"many that go together", nil, []batchOf{{now: 0, packets: 640, runs: 40}}},
		{"few soon after many", many, []batchOf{{now: ms, packets: 2, runs: 2, thread: true}}},
		{"few long after many", many, []batchOf{{now: 3 * ms, packets: 2, runs: 2, drains: true}, {now: 4 * ms, packets: 2, runs: 2}}},
		{"the thread is held up", many,
			[]batchOf{{now: 3 * ms, packets: 2, runs: 2, drains: true, held: true, thread: true},
				{now: 4 * ms, packets: 2, runs: 2, drains: true}}},
		{"together at once, and apart after a while", many,
			[]batchOf{{now: ms, packets: 64, runs: 4, drains: true}, {now: 98 * ms, packets: 64, runs: 64},
				{now: 99 * ms, packets: 64, runs: 64},
				{now: 100 * ms, packets: 64, runs: 64}, {now: 100*ms + 1, packets: 64, runs: 64},
				{now: 102 * ms, packets: 64, runs: 64}, {now: 103 * ms, packets: 64, runs: 64},
				{now: 104 * ms, packets: 64, runs: 64}, {now: 105 * ms, packets: 64, runs: 64, thread: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bulk
			for i, x := range slices.Concat(c.before, c.after) {
				drained := false
				got := b.choose(x.packets, x.runs, x.now, func() bool { drained = true; return !x.held })
				if got != x.thread || drained != x.drains {
					t.Errorf("batch %d: to the thread %v, waited for it %v; want %v, %v", i, got, drained, x.thread, x.drains)
				}
			}
		})
	}
}

type batchOf struct {
	now            uint64
	packets, runs  int
	held           bool // the thread does not take all
	thread, drains bool // wanted
}
