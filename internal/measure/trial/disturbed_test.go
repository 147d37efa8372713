package trial

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

func TestWithoutDisturbances(t *testing.T) {
	whole := verdict.Evidence{Tx: 1000, Rx: 990, StealRatio: 0.05, RunQueueDelay: 0.3, DUTCoreBusy: 0.9, DUTCores: 0.5, DUTCoreCount: 1,
		DUTDrops: 40, QueueDrops: 30, LinkDrops: 300, SinkDrops: 5}
	whole.BusiestCore = 0.9
	nothing := disturbances{took: 2, dut: []int{1}, run: []int{0, 1},
		usage: &telemetry.Usage{Busy: map[int]float64{1: 0.9}, Stolen: map[int]float64{1: 0.05}}}
	if got := nothing.without(whole, 0); got.DUTDrops != 40 || got.LinkDrops != 10 || got.SinkDrops != 5 ||
		got.StealRatio != 0.05 || got.RunQueueDelay != 0.3 || got.DUTCoreBusy != 0.9 || got.DUTCores != 0.5 || got.BusiestCore != 0.9 {
		t.Errorf("nothing was disturbed: %+v", got)
	}
	some := nothing
	some.of = disturbance.Summary{Entries: []disturbance.Entry{{Cause: disturbance.Others, CPU: 1, Seconds: 0.6},
		{Cause: disturbance.Paused, CPU: 1, Seconds: 0.12}}}
	got := some.without(whole, 35)
	if math.Abs(got.BusiestCore-0.6/0.7) > 1e-9 {
		t.Errorf("the busiest CPU was %g busy", got.BusiestCore)
	}
	if got.StealRatio != 0 || got.RunQueueDelay != 0 || math.Abs(got.DUTCoreBusy-0.6/0.7) > 1e-9 || math.Abs(got.DUTCores-0.5/0.7) > 1e-9 {
		t.Errorf("three tenths of the CPU were others': %+v", got)
	}
	if got.DUTDrops != 5 || got.QueueDrops != 0 {
		t.Errorf("of 40 lost inside, 35 may be excluded: %d, %d at queues", got.DUTDrops, got.QueueDrops)
	}
	all := nothing
	all.of = disturbance.Summary{Entries: []disturbance.Entry{{Cause: disturbance.Others, CPU: 1, Seconds: 2}}}
	if got := all.without(whole, 0); got.DUTCores != 0.5 {
		t.Errorf("no time is left: %+v", got)
	}
}

func TestShare(t *testing.T) {
	s := disturbance.Summary{Entries: []disturbance.Entry{
		{Cause: disturbance.Others, CPU: 1, Seconds: 0.4}, {Cause: disturbance.Paused, CPU: 1, Seconds: 0.2},
		{Cause: disturbance.Interrupts, CPU: 1, Seconds: 0.1}, {Cause: disturbance.Others, CPU: 0, Seconds: 3},
	}}
	for _, c := range []struct {
		cpus []int
		took float64
		want float64
	}{{[]int{1}, 2, 0.25}, {[]int{1, 1}, 2, 0.25}, {[]int{1, 2}, 2, 0.125}, {[]int{0}, 2, 1}, {nil, 2, 0}, {[]int{1}, 0, 0}} {
		if got := share(s, c.cpus, c.took, disturbance.Others, disturbance.Interrupts); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("CPUs %v in %g s: %g, want %g", c.cpus, c.took, got, c.want)
		}
	}
}

// Drops are counted over the whole trial, and so are the losses that they explain.
func TestLostWithExcluded(t *testing.T) {
	f := &traffic.FlowOutcome{Sent: 1000, Received: 990}
	x := &record.Excluded{TxPackets: 500, RxPackets: 300}
	if got := lost(f, 4, x); got != 206 {
		t.Errorf("lost %d in the whole trial, want 206", got)
	}
}

func TestExcludedOfOutcome(t *testing.T) {
	m := &measured{}
	if x := m.excluded(); x != nil {
		t.Errorf("a trial that did not count by windows: %+v", x)
	}
	m.outcome.Excluded = traffic.Excluded{Of: 100, Windows: 10, Seconds: 0.04, Sent: 50, Received: []uint64{20, 25}}
	m.Disturbed.Entries = make([]disturbance.Entry, 20)
	x := m.excluded()
	if x.Ratio() != 0.1 || x.Lost() != 5 || len(x.Causes) != causesMax {
		t.Errorf("%+v", x)
	}
}
