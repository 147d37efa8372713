package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestStress: a short stress study of the reference UPF has each load, its delays at the UPF and its timeline, a safe
// load for each target or why
// there is none, and the sentence for an operator; on a machine that is not quiet, too.
func TestStress(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	c := upflab(t, scenarioWith("stress", dir, []string{"directions=uplink", "repeats=1", "duration=200ms", "stress.shares=0.1,0.3,0.5,0.9",
		"stress.arrivals=poisson", "stress.around=300ms", "disturbed=keep"}))
	c.finishes(0, 3)
	r := load(t, dir)
	checkFiles(t, dir, r)
	if len(r.DUTs) != 2 || !r.Complete {
		t.Fatalf("%d DUTs, complete %v", len(r.DUTs), r.Complete)
	}
	wire, d := r.DUTs[0], r.DUTs[1]
	if d.Stress == nil || len(d.Stress.Capacities) != 1 || len(d.Stress.Warmups) != 1 || len(d.Stress.TapCosts) != 1 {
		t.Fatalf("%s: %+v", d.Error, d.Stress)
	}
	capacity := d.Stress.Capacities[0]
	if capacity.PPS <= 0 || capacity.HighestPPS < capacity.PPS/2 {
		t.Errorf("%+v", capacity)
	}
	if len(d.Trials) != 4 || len(wire.Trials) != 4 {
		t.Fatalf("%d trials, wire %d; want one of each load", len(d.Trials), len(wire.Trials))
	}
	checkStressed(t, d)
	checkTimeline(t, d)
	// One for each target, unless no trial could be used.
	if len(d.SafeLoads) != 3 && len(d.Stress.Problems) == 0 {
		t.Errorf("%d safe loads, problems %q", len(d.SafeLoads), d.Stress.Problems)
	}
	if text := c.stdout.String(); !strings.Contains(text, "How the stress study was made") {
		t.Errorf("the report says nothing of the study:\n%s", text)
	}
}

// checkStressed: shares of the capacity, by a Poisson process, timed at the UPF.
func checkStressed(t *testing.T, d record.DUT) {
	t.Helper()
	timed := uint64(0)
	for _, trial := range d.Trials {
		if trial.Load.Of != record.GoalCapacity || trial.Load.Share == 0 {
			t.Errorf("load %s is no share of the capacity", trial.Load)
		}
		if trial.AtDUT != nil {
			timed += trial.AtDUT.Count
			if trial.AtDUT.Count > trial.TxPackets {
				t.Errorf("%d of %d packets were timed", trial.AtDUT.Count, trial.TxPackets)
			}
		}
		if trial.Arrivals == nil || trial.Arrivals.Process != "poisson" {
			t.Errorf("arrivals %+v", trial.Arrivals)
		}
	}
	if timed == 0 {
		t.Errorf("no packet was timed at the UPF; remarks %q", d.Remarks)
	}
}

func checkTimeline(t *testing.T, d record.DUT) {
	t.Helper()
	if len(d.Stress.Timelines) != 1 {
		t.Fatalf("%d timelines", len(d.Stress.Timelines))
	}
	line := d.Stress.Timelines[0]
	before, after := 0, 0
	for _, m := range line.Points {
		if m.T < 0 {
			before++
		}
		if m.T > line.DurationS {
			after++
		}
	}
	if before == 0 || after == 0 {
		t.Errorf("of %d points of the timeline %d are before the traffic and %d after it", len(line.Points), before, after)
	}
}

// TestStressOfNothing: where no load makes packets wait, too few loads are given, or loads
// are not for this scenario, one sentence says so.
func TestStressOfNothing(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, scenarioWith("stress", dir, []string{"directions=uplink", "repeats=1", "duration=100ms", "loads=1k,2k",
		"stress.arrivals=constant", "stress.taps=0", "stress.around=0s"})).finishes(0, 3)
	d := load(t, dir).DUTs[1]
	if d.Stress == nil || len(d.Stress.Problems) != 1 || !strings.Contains(d.Stress.Problems[0], "too few loads") &&
		!strings.Contains(d.Stress.Problems[0], "no trial was valid") {
		t.Errorf("%+v", d.Stress)
	}
	if len(d.Trials) != 2 || d.Trials[0].AtDUT != nil {
		t.Errorf("%d trials; what was measured is kept", len(d.Trials))
	}
	c := upflab(t, []string{"run", "quick", "--set", "loads=auto"})
	c.finishes(2)
	if text := c.stderr.String(); !strings.Contains(text, "stress") {
		t.Errorf("%q", text)
	}
}

// TestStressOfClasses: of two QFIs, one with a third of the sessions, each has its share of the load, its delays and
// a safe load, or why there is
// none; also where disturbed windows do not count. What cannot be says what to set.
func TestStressOfClasses(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, scenarioWith("stress", dir,
		[]string{"directions=uplink", "repeats=1", "duration=100ms", "loads=2k,4k,6k,8k", "stress.arrivals=constant",
			"stress.around=0s",
			"qfis=5,1,1", "sessions=3"})).finishes(0, 3)
	d := load(t, dir).DUTs[1]
	timed := uint64(0)
	for _, trial := range d.Trials {
		if len(trial.Classes) != 2 {
			t.Fatalf("%d classes", len(trial.Classes))
		}
		few, many := trial.Classes[0], trial.Classes[1]
		if few.Class != "QFI 5" || many.Class != "QFI 1" || few.Sessions != 1 || many.Sessions != 2 || trial.Wrong > 0 {
			t.Errorf("%+v, %+v, %d wrong", few, many, trial.Wrong)
		}
		if 2*few.TxPackets > many.TxPackets+2 || 2*few.TxPackets+2 < many.TxPackets {
			t.Errorf("%d and %d packets, want one and two thirds", few.TxPackets, many.TxPackets)
		}
		if few.Latency != nil && many.Latency != nil {
			timed += few.Latency.Count + many.Latency.Count
		}
	}
	if timed == 0 {
		t.Errorf("no packet was timed at the UPF; remarks %q", d.Remarks)
	}
	classes := 0
	for _, s := range d.SafeLoads {
		if s.Class != "" {
			classes++
		}
	}
	if classes != 6 && len(d.Stress.Problems) == 0 {
		t.Errorf("%d safe loads of classes; problems %q", classes, d.Stress.Problems)
	}
	c := upflab(t, []string{"run", "stress", "--set", "qfis=1,5"})
	c.finishes(2)
	if text := c.stderr.String(); !strings.Contains(text, "set sessions to 2") {
		t.Errorf("%q", text)
	}
}
