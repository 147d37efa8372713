package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestBisectRefused: what cannot be meant is refused before anything is built, with status 2.
func TestBisectRefused(t *testing.T) {
	repo := t.TempDir()
	if out, err := exec.Command("git", "init", "--quiet", repo).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	good := []string{"--good", "HEAD", "--dut", "builtin", "--program", "upf"}
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"no command", good, "write it after --"},
		{"no good", []string{"--dut", "builtin", "--program", "upf", "--", "make"}, "--good is needed"},
		{"no DUT", []string{"--good", "HEAD", "--program", "upf", "--", "make"}, "--dut is needed"},
		{"no program", []string{"--good", "HEAD", "--dut", "builtin", "--", "make"}, "--program is needed"},
		{"a program elsewhere", []string{"--good", "HEAD", "--dut", "builtin", "--program", "/usr/bin/upf", "--", "make"}, "not in a work tree"},
		{"two repeats", append([]string{"--repeats", "2"}, append(good, "--", "make")...), "3 at least"},
		{"fewer at most", append([]string{"--max-repeats", "4"}, append(good, "--", "make")...), "--max-repeats 4"},
		{"no such figure", append([]string{"--metrics", "speed"}, append(good, "--", "make")...), "--metrics speed: there is no metric \"speed\"; there are ndr_pps, pdr_pps"},
		{"no such DUT", []string{"--good", "HEAD", "--dut", "nosuch", "--program", "upf", "--", "make"}, "no such DUT"},
		{"external", []string{"--good", "HEAD", "--dut", "external", "--program", "upf", "--", "make"}, "cannot change its program"},
		{"no such setting", append([]string{"--set", "nosuch=1"}, append(good, "--", "make")...), "nosuch"},
		{"no repository", append([]string{"--repo", t.TempDir()}, append(good, "--", "make")...), "--repo"},
		{"no such commit", append([]string{"--repo", repo}, append(good, "--", "make")...), `no commit "HEAD"`},
	} {
		status, out, errors := typed(append([]string{"bisect"}, c.args...)...)
		if status != exit.Usage || out != "" || !strings.Contains(errors, c.says) {
			t.Errorf("%s: status %d, %q, %q", c.name, status, out, errors)
		}
	}
}

// TestBisectOfOneCommit: nothing is to be found between a commit and itself, and no folder is left.
func TestBisectOfOneCommit(t *testing.T) {
	repo := t.TempDir()
	for _, args := range [][]string{{"init", "--quiet"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	status, _, errors := typed("bisect", "--repo", repo, "--good", "HEAD", "--bad", "HEAD", "--dut", "builtin", "--program", "upf", "--out", out, "--", "make")
	if status != exit.Usage || !strings.Contains(errors, "--good HEAD and --bad HEAD are the same commit") {
		t.Errorf("status %d, %q", status, errors)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder is left")
	}
}

func TestDUTConfigRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for says, args := range map[string][]string{
		"--out is needed":        {"eupf"},
		"not a list of CPUs":     {"eupf", "--out", empty, "--cpus", "two"},
		"is not empty":           {"eupf", "--out", full},
		"no such DUT":            {"nosuch", "--out", empty},
		"runs elsewhere already": {"external", "--out", empty},
		"needs an argument":      {"--out", empty},
		"nosuch":                 {"eupf", "--out", empty, "--set", "nosuch=1"},
	} {
		status, out, errors := typed(append([]string{"dut", "config"}, args...)...)
		if status != exit.Usage || out != "" || !strings.Contains(errors, says) {
			t.Errorf("%v: status %d, %q, %q", args, status, out, errors)
		}
	}
}
