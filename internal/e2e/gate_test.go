package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestGate: the script that CI jobs use passes an equal UPF and fails a worse build. On a
// machine that is too busy it may not be able to tell; it must not fail an equal one. The
// calibrator loses by count, so disturbed time counts like any other.
func TestGate(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	worse := filepath.Join(t.TempDir(), "upf")
	script := fmt.Sprintf("#!/bin/sh\nsed -i 's/loss=0.01/loss=0.5/' \"$3\"\nexec %s \"$@\"\n", program())
	if err := os.WriteFile(worse, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		new    []string
		status int
		says   string
	}{
		{"equal", []string{"--new-dut", "calibrator:loss=0.01,seed=2"}, 0, "calibrator:loss=0.01,seed=2"},
		{"worse", []string{"--old", program(), "--new", worse}, 4, "calibrator@new:loss=0.01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			gates(t, c.new, c.status, c.says)
		})
	}
}

// gates runs the script, which has to end with a status and a comparison that says something.
func gates(t *testing.T, other []string, status int, says string) {
	dir := t.TempDir()
	script, err := filepath.Abs("../../ci/gate")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--upflab", program(), "--results", dir, "--scenario", "quick", "--repeats", "3",
		"--metrics", "frame_loss_ratio", "--dut", "calibrator:loss=0.01"}, other...)
	run := start(t, exec.Command(script, append(args, "--", "--set", "loads=1k", "--set", "directions=uplink", "--set", "duration=200ms",
		"--set", "latency.duration=100ms", "--set", "latency.rate=100", "--set", "disturbed=keep")...))
	run.finishes(0, 1, 2, 3, 4)
	got := run.cmd.ProcessState.ExitCode()
	if got != status && got != 4 && disturbed(t, dir) {
		t.Skipf("this machine was too busy to tell (status %d)", got)
	}
	table, err := os.ReadFile(filepath.Join(dir, "compare.md"))
	if got != status || err != nil || !strings.Contains(string(table), says) {
		t.Errorf("status %d, %v: the comparison is %s\n%s", got, err, table, run.said())
	}
}

// disturbed reports whether some trial was not valid, or limited by the machine.
func disturbed(t *testing.T, results ...string) bool {
	t.Helper()
	for _, dir := range results {
		for _, d := range load(t, dir).DUTs {
			for _, trial := range d.Trials {
				if !trial.Valid || trial.LimitedBy == record.LimitHost || trial.LimitedBy == record.LimitGenerator {
					return true
				}
			}
		}
	}
	return false
}
