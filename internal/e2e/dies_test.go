package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// fakeUPF writes a program that takes eUPF's place.
func fakeUPF(t *testing.T, script string) options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fake-upf")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return env("UPFLAB_EUPF=" + path)
}

// TestDUTDoesNotStart: the run says what the DUT said and goes on with the next.
func TestDUTDoesNotStart(t *testing.T) {
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		name, script, says string
		next               bool // another DUT comes after it
	}{
		{"ends", "echo cannot open n3: no such device; exit 3", "cannot open n3: no such device", true},
		{"ends by a signal", "echo about to crash; kill -SEGV $$", "about to crash", false},
		{"keeps silent", "echo listening to nobody; exec sleep 60", "listening to nobody", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := quick(dir, "--dut", "eupf:native")
			if c.next {
				args = append(args, "--dut", "builtin:xdp")
			}
			run := upflab(t, args, fakeUPF(t, c.script))
			run.finishes(1)
			run.mustSay("FAILED", "eupf")
			r := load(t, dir)
			d := r.DUTs[1]
			if r.Complete || d.Status != record.StatusFailed || !strings.Contains(d.LogTail, c.says) {
				t.Errorf("complete %v, %s, log %q", r.Complete, d.Status, d.LogTail)
			}
			if !strings.Contains(run.stdout.String(), c.says) {
				t.Errorf("the table does not show the log:\n%s", run.stdout.String())
			}
			if c.next {
				checkTrials(t, r.DUTs[2], 1)
			}
		})
	}
}

// TestDUTDies: its trial is not valid and the next DUT is measured.
func TestDUTDies(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	dir := t.TempDir()
	c := upflab(t, quick(dir, "--set", "latency.duration=2s", "--dut", "builtin:xdp", "--dut", "builtin:xdp-generic"))
	c.says("[ 6/12]")
	time.Sleep(700 * time.Millisecond) // now a latency trial runs
	pid := upfProcess()
	if pid == 0 {
		t.Fatalf("no UPF runs\n%s", c.said())
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.finishes(1)
	c.mustSay("FAILED", "has ended", "not valid: UPF ended (dut_ended)")
	r := load(t, dir)
	dead, next := r.DUTs[1], r.DUTs[2] // in one order or the other: visits have a random one
	if dead.Status == record.StatusOK {
		dead, next = next, dead
	}
	checkDead(t, dead)
	if next.Status != record.StatusOK {
		t.Errorf("the next DUT is %s: %s", next.Status, next.Error)
	} else {
		checkTrials(t, next, 1)
	}
}

// TestDUTDiesInSearch: the search has no rate, and says why.
func TestDUTDiesInSearch(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	dir := t.TempDir()
	c := upflab(t, quick(dir, "--set", "directions=uplink", "--set", "loads=10k", "--set", "search.preset=quick", "--set", "search.max=20k",
		"--dut", "builtin:xdp"))
	c.says("[4/4] builtin:xdp")
	time.Sleep(700 * time.Millisecond) // now its search's first trial runs
	pid := upfProcess()
	if pid == 0 {
		t.Fatalf("no UPF runs\n%s", c.said())
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.finishes(1)
	c.mustSay("FAILED", "has ended")
	d := load(t, dir).DUTs[1]
	if d.Status != record.StatusFailed || len(d.Searches) != 1 {
		t.Fatalf("%s: %s with %d searches", d.Name, d.Status, len(d.Searches))
	}
	s := d.Searches[0]
	if s.Valid || s.NDRPPS != 0 || s.PDRPPS != 0 || !strings.Contains(strings.Join(s.Reasons, " "), "failed") {
		t.Errorf("the search in which it died: valid %v, %v and %v packets/s, %q", s.Valid, s.NDRPPS, s.PDRPPS, s.Reasons)
	}
}

func checkDead(t *testing.T, d record.DUT) {
	t.Helper()
	if d.Status != record.StatusFailed || !strings.Contains(d.Error, "ended") || len(d.Trials) != 3 {
		t.Fatalf("%s: %s, %q, %d trials", d.Name, d.Status, d.Error, len(d.Trials))
	}
	last := d.Trials[2]
	if last.Valid || !slices.Contains(last.Reasons, "the DUT ended during the trial") {
		t.Errorf("the trial in which it died: valid %v, %q", last.Valid, last.Reasons)
	}
	if last.RxPackets >= last.TxPackets {
		t.Errorf("received %d of %d packets through a dead UPF", last.RxPackets, last.TxPackets)
	}
}
