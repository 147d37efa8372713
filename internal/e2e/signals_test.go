package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/live"
)

// long is a run whose latency trials last until somebody stops it.
func long(dir string) []string {
	return quick(dir, "--set", "latency.duration=30s")
}

func TestInterrupt(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			privileged(t)
			nothingLeft(t)
			dir := t.TempDir()
			c := upflab(t, long(dir))
			c.says("[2/8]")
			c.sends(dir, func(trial live.Event) bool { return trial.N == 3 }) // a latency trial
			c.signal(s)
			if got, want := c.status(10*time.Second), 128+int(s); got != want {
				t.Errorf("exit status %d, want %d\n%s", got, want, c.said())
			}
			c.mustSay("interrupted by " + unix.SignalName(s) + ": what was measured before is in " + dir + ", marked incomplete")
			checkInterrupted(t, dir, load(t, dir))
		})
	}
}

func checkInterrupted(t *testing.T, dir string, r *record.Result) {
	t.Helper()
	if r.Complete || !strings.Contains(strings.Join(r.Notes, "\n"), "interrupted") {
		t.Errorf("complete %v, notes %q", r.Complete, r.Notes)
	}
	if d := r.DUTs[0]; d.Status != record.StatusInterrupted || len(d.Trials) != 2 {
		t.Errorf("%s: %s with %d trials, want interrupted with 2", d.Name, d.Status, len(d.Trials))
	}
	checkFiles(t, dir, r)
	again := upflab(t, []string{"report", dir})
	again.finishes(0)
	if !strings.Contains(again.stdout.String(), "Incomplete run") {
		t.Errorf("the report does not say that it is incomplete:\n%s", again.stdout.String())
	}
}

// killed starts a run and kills it while its reference UPF runs.
func killed(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	c := upflab(t, quick(dir, "--set", "duration=4s", "--dut", "builtin:xdp"))
	c.sends(dir, func(trial live.Event) bool { return trial.Target == "builtin:xdp" })
	c.signal(syscall.SIGKILL)
	c.status(5 * time.Second)
	if names, _ := filepath.Glob("/run/netns/upflab-*"); len(names) != 4 {
		t.Fatalf("a killed run left the namespaces %v: the test expects 4", names)
	}
}

func TestRunAfterKill(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	for _, quiet := range []bool{false, true} {
		killed(t)
		dir := t.TempDir()
		args := quick(dir)
		if quiet {
			args = append(args, "--quiet")
		}
		c := upflab(t, args)
		c.finishes(0, 3)
		c.mustSay("removed what a killed run left: ")
		if !quiet {
			c.mustSay("namespace upflab-", "-ran", "-upf", "-dn", "-smf")
		}
		if n := strings.Count(c.said(), "removed what a killed run left"); quiet != (n == 1) || n < 1 {
			t.Errorf("--quiet %v: says %d times what a killed run left:\n%s", quiet, n, c.said())
		}
		checkRun(t, load(t, dir), "builtin:xdp", 1)
	}
}

func TestCleanAfterKill(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	killed(t)
	c := upflab(t, []string{"clean"})
	c.finishes(0)
	if got := c.stdout.String(); strings.Count(got, "removed namespace upflab-") != 4 {
		t.Errorf("clean says %q", got)
	}
	again := upflab(t, []string{"clean"})
	again.finishes(0)
	if got := again.stdout.String(); got != "nothing to remove\n" {
		t.Errorf("the second clean says %q", got)
	}
}

func TestCleanSparesTheLiving(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	dir := t.TempDir()
	c := upflab(t, quick(dir))
	c.says("[1/8]")
	clean := upflab(t, []string{"clean"})
	clean.finishes(0)
	if got := clean.stdout.String(); got != "nothing to remove\n" {
		t.Errorf("clean during a run says %q", got)
	}
	c.finishes(0, 3)
	checkRun(t, load(t, dir), "builtin:xdp", 1)
}

func TestTwoRunsAtOnce(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	one, two := t.TempDir(), t.TempDir()
	a, b := upflab(t, quick(one)), upflab(t, quick(two))
	a.finishes(0, 3)
	b.finishes(0, 3)
	first, second := load(t, one), load(t, two)
	if first.Run == second.Run {
		t.Errorf("both are run %s", first.Run)
	}
	checkRun(t, first, "builtin:xdp", 1)
	checkRun(t, second, "builtin:xdp", 1)
}
