package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestAttack: the reference UPF bears inputs of each kind, and a file of inputs is replayed
// to it.
func TestAttack(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, []string{"run", "attack", "--dut", "builtin:xdp", "--set", "attack.duration=800ms", "--set", "attack.rate=2000",
		"--case", "attack.pfcp", "--case", "attack.gtpu", "--case", "attack.known.sdf", "--case",
		"attack.flood.unknown-teid", "--out", dir}).finishes(0)
	r := load(t, dir)
	if len(r.DUTs) != 1 || len(r.DUTs[0].Cases) != 6 {
		t.Fatalf("%+v", r.DUTs)
	}
	for _, c := range r.DUTs[0].Cases {
		if c.Verdict != record.VerdictEnforced {
			t.Errorf("%s is %s: %s", c.ID, c.Verdict, c.Observed)
		}
		if a := c.Attack; c.ID == "attack.pfcp" && (a == nil || a.Inputs < 100 || a.Answers == 0) {
			t.Errorf("%s: %+v", c.ID, a)
		}
		if a := c.Attack; c.ID == "attack.flood.unknown-teid" && (a == nil || len(a.Floods) != 4 || a.Floods[0].Packets == 0) {
			t.Errorf("%s: %+v", c.ID, a)
		}
	}
	file := filepath.Join(t.TempDir(), "inputs.yaml")
	text := "schema: upflab.replay/v1\ntitle: of a test\nupf: none\nharm: none\ninputs:\n- n4 2001000400000100\n- " +
		"n3 30ff00007e1d5a00\n- n6 45\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	upflab(t, []string{"behaviour", "replay", file, "--dut", "builtin:xdp", "--out", filepath.Join(t.TempDir(), "again")}).finishes(0)
}

// TestAttackNeedsLeave: a UPF of somebody else is not attacked without being named.
func TestAttackNeedsLeave(t *testing.T) {
	c := upflab(t, []string{"run", "attack", "--dut", "external"})
	c.finishes(2)
}
