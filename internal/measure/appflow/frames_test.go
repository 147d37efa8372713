package appflow

import (
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/apps/oneway"
)

// TestFrames: a frame is there when its last packet is, and only with all of them.
func TestFrames(t *testing.T) {
	const ms = time.Millisecond
	r := &oneway.Report{
		Sent:    []time.Duration{0, 1 * ms, 20 * ms, 40 * ms, 41 * ms},
		Bursts:  []oneway.Sending{{First: 0, Packets: 2}, {First: 2, Packets: 1, Began: 20 * ms}, {First: 3, Packets: 2, Began: 40 * ms}},
		Packets: []oneway.Packet{{Sequence: 1, Sent: 1 * ms, Latency: 1 * ms}, {Sequence: 0, Latency: 5 * ms}, {Sequence: 2, Sent: 20 * ms, Latency: 30 * ms}, {Sequence: 4, Sent: 41 * ms, Latency: ms}},
		Skipped: 1,
	}
	if took := wholeBursts(r); !slices.Equal(took, []time.Duration{5 * ms, 30 * ms}) {
		t.Errorf("whole frames took %v", took)
	}
	f := framesRecord([]*oneway.Report{r, r}, 10*ms)
	if f.Sent != 6 || f.Whole != 4 || f.InTime != 2 || f.Packets != 10 || f.Lost != 2 || f.Skipped != 2 || f.JitterNS != 25e6 || f.Delay.Max != uint64(30*ms) {
		t.Errorf("%+v", f)
	}
}
