package campaign

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestMemoryGrowth(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		why  string
		mib  []uint64
		want bool
	}{
		{"it grows and grows", []uint64{100, 110, 120, 130}, true},
		{"once is no leak", []uint64{100, 130, 130, 130}, false},
		{"up and down", []uint64{100, 130, 120, 140}, false},
		{"a little", []uint64{100, 101, 102, 103}, false},
		{"of a lot", []uint64{1000, 1010, 1020, 1030}, false},
		{"too few to judge", []uint64{100, 200, 300}, false},
		{"nothing is known", []uint64{0, 0, 0, 0}, false},
	} {
		var trials []record.Trial
		for _, n := range c.mib {
			trials = append(trials, record.Trial{Cost: record.Cost{MemoryBytes: n * mib}})
		}
		if got := memoryGrowth(trials); (got != "") != c.want {
			t.Errorf("%s: %q", c.why, got)
		}
	}
}
