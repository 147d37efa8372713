package e2e

import (
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestInterop: the reference UPF does what each SMF asks, in namespaces.
func TestInterop(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	c := upflab(t, []string{"run", "interop", "--dut", "builtin:xdp", "--out", dir})
	c.finishes(0)
	r := load(t, dir)
	if len(r.DUTs) != 1 || !r.Complete || len(r.DUTs[0].Cases) < 6 {
		t.Fatalf("%d DUTs, complete %v: %+v", len(r.DUTs), r.Complete, r.DUTs)
	}
	for _, row := range r.DUTs[0].Cases {
		if row.Verdict != record.VerdictEnforced {
			t.Errorf("%s is %s: %s: %s", row.ID, row.Verdict, row.Expected, row.Observed)
		}
	}
}
