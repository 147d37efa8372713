package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/results/bisect"
)

// TestBisect finds the commit that made a UPF slower: a calibrator whose loss is a file of
// the repository. It loses by count, so that a busy machine changes little.
func TestBisect(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	repo, results := t.TempDir(), filepath.Join(t.TempDir(), "found")
	slow := slowerRepository(t, repo)
	before := git(t, repo, "for-each-ref") + git(t, repo, "worktree", "list") + git(t, repo, "status", "--porcelain", "--branch")
	run := bisects(t, repo, results)
	run.finishesWithin(10*time.Minute, 0, 3) // it takes one, and over four were seen on a busy machine
	r := bisected(t, results)
	found := r.Outcome == bisect.Found
	if found && r.First.ID != slow || found != (run.cmd.ProcessState.ExitCode() == 0) {
		t.Errorf("found %+v, want %s\n%+v", r.First, slow, r)
	}
	page, err := os.ReadFile(filepath.Join(results, "report.md"))
	if err != nil || found && !strings.Contains(string(page), "the first slower commit is "+slow[:10]) {
		t.Errorf("%v: the report is %s", err, page)
	}
	if after := git(t, repo, "for-each-ref") + git(t, repo, "worktree", "list") + git(t, repo, "status",
		"--porcelain", "--branch"); after != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, after)
	}
	if !found && !t.Failed() {
		t.Skipf("this machine was too busy to tell: %s", r.Why)
	}
}

// bisects starts a search from c0 to main, by frame loss.
func bisects(t *testing.T, repo, results string) *command {
	t.Helper()
	return upflab(t, []string{"bisect", "--good", "c0", "--bad", "main", "--repo", repo, "--dut", "calibrator:loss=0.01",
		"--program", "upf", "--scenario", "quick", "--repeats", "3", "--max-repeats", "5", "--metrics", "frame_loss_ratio", "--out", results,
		"--set", "loads=1k", "--set", "directions=uplink", "--set", "duration=200ms", "--set",
		"latency.duration=100ms", "--set", "latency.rate=100", "--set", "disturbed=keep", "--", "make", "upf"})
}

// bisected is the result of a search.
func bisected(t *testing.T, results string) (r bisect.Result) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(results, "bisect.json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// slowerRepository has three commits, c0, c1 and main; c1 made the UPF slower. It gives
// that one's ID.
func slowerRepository(t *testing.T, dir string) string {
	t.Helper()
	lossyRepository(t, dir, "loss=0.01", "loss=0.5", "loss=0.5,seed=2")
	return strings.TrimSpace(git(t, dir, "rev-parse", "c1"))
}

// lossyRepository has a commit for each way to lose packets, tagged c0, c1 ...: a
// calibrator that is built to do that.
func lossyRepository(t *testing.T, dir string, losses ...string) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	upf := fmt.Sprintf("#!/bin/sh\nsed -i 's/loss=0.01/LOSS/' \"$3\"\nexec %s \"$@\"\n", program())
	for i, loss := range losses {
		for name, text := range map[string]string{"upf.in": upf, "loss": loss,
			"Makefile": "upf: upf.in loss\n\tsed \"s/LOSS/$$(cat loss)/\" upf.in >upf && chmod +x upf\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git(t, dir, "add", "--all")
		git(t, dir, "commit", "--quiet", "--message", loss)
		git(t, dir, "tag", fmt.Sprintf("c%d", i))
	}
}

// git runs a git command in a folder.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}
