package e2e

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestBehaviour: cases of each group on the reference UPF, in namespaces: enforced, or
// refused where nothing announces them.
func TestBehaviour(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	args := []string{"run", "behaviour", "--dut", "builtin:xdp", "--dut", "builtin:tun", "--out", dir}
	for _, id := range []string{"pdr.teid", "pdr.source-address", "pdr.sdf.all-components", "far.path-switch", "far.end-marker", "far.buffer", "qer.gate",
		"urr.volume", "fteid.choose", "session.delete", "n4.association", "gtpu.echo", "ip.fragment"} {
		args = append(args, "--case", id)
	}
	c := upflab(t, args)
	c.finishes(0)
	r := load(t, dir)
	if len(r.DUTs) != 2 || !r.Complete {
		t.Fatalf("%d DUTs, complete %v", len(r.DUTs), r.Complete)
	}
	for _, d := range r.DUTs {
		if len(d.Cases) < 20 || len(d.Features) == 0 {
			t.Errorf("%s: %d cases, features %v, error %q", d.Name, len(d.Cases), d.Features, d.Error)
		}
		for _, row := range d.Cases {
			if row.Verdict != record.VerdictEnforced {
				t.Errorf("%s:%s %s is %s: %s: %s", d.Name, d.Mode, row.ID, row.Verdict, row.Expected, row.Observed)
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err != nil || xml.Unmarshal(data, new(struct{})) != nil {
		t.Errorf("junit.xml: %v, %d octets", err, len(data))
	}
}
