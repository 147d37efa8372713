package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestRunOfSizes: a fixed size and a mixture, both directions at once. Whatever the
// machine loses, the sums are those of the directions, and each sends its half: exactly,
// where no window is excluded.
func TestRunOfSizes(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, quick(dir, "--set", "sizes=frame:128,imix", "--set", "directions=uplink,both", "--set",
		"disturbed=keep", "--dut", "builtin:xdp")).finishes(0, 3)
	r := load(t, dir)
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "64 octets are sent with 78") }) {
		t.Errorf("notes %q", r.Notes)
	}
	want := []string{"frame:128 uplink", "frame:128 both", "frame:128 uplink", "frame:128 both",
		"imix uplink", "imix both", "imix uplink", "imix both"}
	for _, d := range r.DUTs {
		var got []string
		for _, trial := range d.Trials {
			got = append(got, trial.Size+" "+string(trial.Direction))
			checkTrialOfSize(t, d.Name, trial)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", d.Name, got, want)
		}
	}
}

func checkTrialOfSize(t *testing.T, name string, trial record.Trial) {
	t.Helper()
	what := name + " " + trial.Size + " " + string(trial.Direction)
	if trial.RxPackets == 0 || trial.Wrong != 0 || trial.Duplicates != 0 || trial.Mixed != (trial.Size == "imix") {
		t.Errorf("%s: received %d, wrong %v, mixed %v", what, trial.RxPackets, trial.WrongWhy, trial.Mixed)
	}
	if trial.Direction != "both" {
		if len(trial.Flows) != 0 {
			t.Errorf("%s: %d flows", what, len(trial.Flows))
		}
		return
	}
	if len(trial.Flows) != 2 {
		t.Fatalf("%s: %d flows", what, len(trial.Flows))
	}
	up, down := trial.Flows[0], trial.Flows[1]
	if up.TxPackets+down.TxPackets != trial.TxPackets || up.RxPackets+down.RxPackets != trial.RxPackets {
		t.Errorf("%s: %d and %d sent of %d, %d and %d received of %d", what,
			up.TxPackets, down.TxPackets, trial.TxPackets, up.RxPackets, down.RxPackets, trial.RxPackets)
	}
	if up.TxPackets-down.TxPackets > 1 {
		t.Errorf("%s: %d uplink, %d downlink: not in turn", what, up.TxPackets, down.TxPackets)
	}
}
