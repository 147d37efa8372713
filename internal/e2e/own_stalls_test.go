package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/disturbance/hold"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// TestOwnStalls: interrupts that are off on the UPF's CPU in its own trials, and not in those of
// wire, are the UPF's: its trials are repeated with everything counted, and the stalls show in
// its latency. A program that keeps that CPU in hard interrupts is in place of such a UPF.
func TestOwnStalls(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	placement, err := host.Place(scenario.CPU{})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(placement.DUT, placement.Generator) {
		t.Skip("needs a CPU for the UPF and one for the generator")
	}
	const most = 4 // runs: on a busy machine everything may count anyway, and nothing is to be seen
	inOrder := 0
	for n := 1; n <= most; n++ {
		own, ordered := ownStalls(t, placement)
		t.Logf("run %d: the stalls began between the visits: %v; they were the UPF's own in %d trials", n, ordered, own)
		if own > 0 || t.Failed() {
			return
		}
		if ordered {
			inOrder++
		}
	}
	if inOrder == 0 {
		t.Errorf("in none of %d runs did the stalls begin between the visits to wire and to the UPF", most)
	}
}

// ownStalls is a run in which the UPF's CPU is held in its trials alone, since wire's visit leads:
// in how many of those at a load the stalls are its own, and whether they began between the visits.
func ownStalls(t *testing.T, placement record.Placement) (found int, ordered bool) {
	t.Helper()
	const length = time.Millisecond
	h, err := hold.Load(placement.DUT[0], length, 25*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	dir := filepath.Join(t.TempDir(), "result")
	run := upflab(t, []string{"run", "quick", "--dut", "builtin:xdp", "--out", dir, "--set", "loads=20k", "--set", "duration=1s",
		"--set", "directions=uplink", "--set", "latency.duration=300ms", "--set", "attempts=1", "--set", "disturbed=exclude"})
	run.says("wire           uplink   latency")
	if err := h.Begin(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	run.finishes(0, 3)
	duts := load(t, dir).DUTs
	for _, d := range duts {
		for _, trial := range d.Trials {
			if trial.Started.Before(began) != d.Reference {
				t.Logf("%s was measured at %v, and the stalls began at %v", d.Name, trial.Started, began)
				return 0, false
			}
		}
	}
	wire := 0.0 // the highest share of its time that the machine itself took
	for _, d := range duts {
		for _, trial := range d.Trials {
			if d.Reference {
				wire = max(wire, stalledShare(&trial, placement.DUT[0]))
			}
			if trial.Kind != record.KindLoad {
				continue
			}
			own := slices.ContainsFunc(trial.Reasons, func(r string) bool { return strings.Contains(r, "that is the UPF's own doing") })
			switch {
			case d.Reference && own:
				t.Errorf("wire has stalls of its own: %q", trial.Reasons)
			case d.Reference:
			case trial.Excluded != nil &&
				(trial.Excluded.Void ||
					stalledShare(&trial, placement.DUT[0]) < 3*max(wire, stalledShare(&trial, placement.Generator))):
				t.Logf("a busy machine: everything counts anyway, or its own stalls hide those: wire %g, %+v", wire, trial.Excluded)
			case !own || trial.Excluded != nil || trial.Latency == nil:
				t.Errorf("what its own stalls took is excluded: %+v, %q", trial.Excluded, trial.Reasons)
			case trial.Latency.P99 < uint64(length/4):
				t.Errorf("stalls of %v in each 25 ms, and a p99 of %d ns", length, trial.Latency.P99)
			default:
				found++
			}
		}
	}
	return found, true
}

// stalledShare is the share of a CPU's time in which interrupts were off or kernel workers ran.
func stalledShare(trial *record.Trial, cpu int) (share float64) {
	if trial.Excluded == nil {
		return 0
	}
	for _, c := range trial.Excluded.Causes {
		if c.CPU == cpu && (c.Cause == "paused" || strings.HasPrefix(c.Who, "kworker/")) {
			share += c.Seconds / (trial.DurationS + trial.Excluded.Seconds)
		}
	}
	return share
}
