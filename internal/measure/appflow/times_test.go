package appflow

import (
	"testing"
	"time"
)

// The p99 of a hundred times is the 99th, not the longest.
func TestTimesAreOfTheNearestRank(t *testing.T) {
	for n, want := range map[int][2]uint64{1: {1, 1}, 2: {1, 2}, 99: {50, 99}, 100: {50, 99}, 101: {51, 100},
		200: {100, 198}, 1000: {500, 990}} {
		var all []time.Duration
		for i := range n {
			all = append(all, time.Duration(n-i))
		}
		if got := times(all); got.P50 != want[0] || got.P99 != want[1] || got.Max != uint64(n) {
			t.Errorf("of 1 to %d: p50 %d, p99 %d, want %v", n, got.P50, got.P99, want)
		}
	}
}
