package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestQoSAccuracy: a rate that packet sockets could not send, flows in competition and the
// accounts of the reference UPF, in namespaces. A busy machine may leave rates untold.
func TestQoSAccuracy(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	c := upflab(t, []string{"run", "qos-accuracy", "--dut", "builtin:xdp", "--set", "duration=1s", "--out", dir,
		"--case", "mbr.uplink.1G", "--case", "flows.ambr", "--case", "telemetry.loss"})
	c.finishes(0)
	r := load(t, dir)
	if len(r.DUTs) != 1 || !r.Complete || len(r.DUTs[0].Cases) != 3 {
		t.Fatalf("%d DUTs, complete %v: %+v", len(r.DUTs), r.Complete, r.DUTs)
	}
	if claimed := r.Host.IdlePolls ||
		strings.Contains(strings.Join(r.Notes, "\n"), "could not be kept from sleeping"); !claimed || r.Order == nil {
		t.Errorf("the run did not claim the host as others do: idle CPUs poll %v, order %v, notes %q", r.Host.IdlePolls, r.Order, r.Notes)
	}
	for _, row := range r.DUTs[0].Cases {
		if row.Verdict != record.VerdictEnforced && (row.Verdict != record.VerdictNotApplicable || row.ID == "telemetry.loss") {
			t.Errorf("%s is %s: %s: %s", row.ID, row.Verdict, row.Expected, row.Observed)
		}
	}
	if x := r.DUTs[0].Cases[0].Rate; x == nil || x.Octets != 1400 {
		t.Errorf("the rate is %+v", x)
	}
	if f := r.DUTs[0].Cases[1].Flows; len(f) != 3 {
		t.Errorf("the flows are %+v", f)
	}
	for _, s := range r.DUTs[0].Cases[2].Shown {
		if s.Grade != record.GradeExact {
			t.Errorf("%s by %s is %s: %.0f, want %.0f", s.Name, s.By, s.Grade, s.Value, s.Ledger)
		}
	}
	if n := len(r.DUTs[0].Cases[2].Shown); n < 20 {
		t.Errorf("%d accounts of the reference UPF are graded, want 20 at least", n)
	}
}
