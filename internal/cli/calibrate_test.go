package cli

import (
	"testing"

	"github.com/upflab/upflab/internal/machine/host"
)

// TestOthersDuringACalibration: runs that were under way before, at the end, or that are only dead lists.
func TestOthersDuringACalibration(t *testing.T) {
	now := []host.Record{{Run: "before", PID: 7, Live: true}, {Run: "dead", PID: 8}}
	seen := othersDuring(func() ([]host.Record, error) { return now, nil }, func() {
		now = []host.Record{{Run: "own", PID: 9, Live: true}, {Run: "after", PID: 10, Live: true}}
	})
	if got, want := otherRuns(seen, "own"), "before, process 7; after, process 10"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := otherRuns(seen[1:2], "own"); got != "" {
		t.Errorf("its own run: %q", got)
	}
}
