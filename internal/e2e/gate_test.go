package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGate: the script that CI jobs use passes an equal build and fails a slower one.
func TestGate(t *testing.T) {
	const old = "calibrator:rate=40kpps,queue=4096"
	for _, c := range []struct {
		name, dut string
		status    int
		says      string
	}{
		{"equal", "calibrator:rate=40kpps,queue=4096,seed=2", 0, ""},
		{"slower", "calibrator:rate=10kpps,queue=256", 4, "worse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			privileged(t)
			nothingLeft(t)
			dir := t.TempDir()
			script, err := filepath.Abs("../../ci/gate")
			if err != nil {
				t.Fatal(err)
			}
			run := start(t, exec.Command(script, "--upflab", program(), "--results", dir, "--scenario", "quick", "--repeats", "3", "--metrics", "frame_loss_ratio",
				"--dut", old, "--new-dut", c.dut, "--", "--set", "loads=20k", "--set", "directions=uplink", "--set", "duration=200ms", "--set", "latency.duration=200ms"))
			run.finishes(c.status)
			table, err := os.ReadFile(filepath.Join(dir, "compare.md"))
			if err != nil || !strings.Contains(string(table), c.says) || len(table) == 0 {
				t.Errorf("%v: the comparison is %s", err, table)
			}
		})
	}
}
