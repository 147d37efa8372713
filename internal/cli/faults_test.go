package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// TestPlainErrors: a mistake on the command line has one error that says what to do, and the
// same mistake has the same status in each command.
func TestPlainErrors(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.yaml")
	if err := os.WriteFile(empty, []byte(" \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(dir, "one")
	if err := os.Mkdir(one, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(one, &record.Result{Scenario: "quick", DUTs: []record.DUT{{Name: "builtin", Mode: "xdp"}}}); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "gone")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"run --strict=maybe", exitUsage, "--strict=maybe: it takes no value, or true or false"},
		{"run --pcap=x", exitUsage, "--pcap=x: it takes a whole number"},
		{"run --pcap=-1", exitUsage, "--pcap=-1: it takes a whole number, 1 or more"},
		{"run --pcap=0", exitUsage, "--pcap=0: it takes a whole number, 1 or more"},
		{"history " + one + " --gate -1", exitUsage, "--gate=-1: it takes a whole number, 4 or more"},
		{"history " + one + " --gate 0", exitUsage, "--gate=0: it takes a whole number, 4 or more"},
		{"model fit " + one + " --p99 -1ms", exitUsage, "--p99 -1ms: give a time above 0"},
		{"publish " + one + " --runs -1", exitUsage, "--runs=-1: it takes a whole number, 0 or more"},
		{"upf top --lines 0", exitUsage, "--lines=0: it takes"},
		{"upf top --count -1", exitUsage, "--count=-1: it takes"},
		{"upf sessions --limit -1", exitUsage, "--limit=-1: it takes"},
		{"agent --min-free -1", exitUsage, "--min-free=-1: it takes"},
		{"hub run --max-store -5", exitUsage, "--max-store=-5: it takes"},
		{"hub prepare --replicas 0", exitUsage, "--replicas=0: it takes"},
		{"run --pcap x", exitUsage, `there is no scenario "x"; --pcap takes its number behind an equals sign`},
		{"run quick --pcap 5", exitUsage, `there is no scenario "5"; --pcap takes its number behind an equals sign`},
		{"upf top --interval soon", exitUsage, "--interval=soon: it takes a time with its unit"},
		{"compare a b --threshold much", exitUsage, "--threshold=much: not a ratio: write 3% or 0.03"},
		{"run " + empty + " --dry-run", exitUsage, "is empty: a scenario has at least a name"},
		{"compare " + one, exitUsage, "has one UPF, builtin:xdp, and a comparison needs two: name a second result"},
		{"compare " + gone, exitUsage, "no such file"},
		{"check " + gone, exitUsage, "no such file"},
		{"export " + gone, exitUsage, "no such file"},
		{"report " + gone, exitUsage, "no such file"},
		{"history " + gone, exitUsage, "there is no folder"},
		{"serve " + gone, exitUsage, "there is no folder"},
	} {
		status, _, said := typed(strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s: status %d, want %d; says %q, want %q", c.args, status, c.status, said, c.says)
		}
		if strings.Contains(said, "strconv") {
			t.Errorf("%s: speaks of the parser: %q", c.args, said)
		}
	}
}

// TestMetricsPortInUse: nothing is made for a run whose port is taken.
func TestMetricsPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = listenMetrics(l.Addr().String())
	var said bytes.Buffer
	if got := status(&said, err); got != exitUsage || !strings.Contains(said.String(), "--metrics "+l.Addr().String()+": another program listens there") {
		t.Errorf("status %d, says %q", got, said.String())
	}
}

// TestRemovedFolder calls upflab in a folder that is gone.
func TestRemovedFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("gone", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir("gone")
	t.Setenv("PWD", "")
	if err := os.Remove("../gone"); err != nil {
		t.Fatal(err)
	}
	if status, _, said := typed("run", "--dry-run"); status != exitFailed || !strings.Contains(said, "the current folder has been removed") {
		t.Errorf("status %d, says %q", status, said)
	}
}

// TestBrokenPipe: a reader that has gone is no failure to speak of.
func TestBrokenPipe(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	var said bytes.Buffer
	if got := Main([]string{"scenario", "keys"}, write, &said); got != exitPipe || said.Len() > 0 {
		t.Errorf("status %d, says %q", got, said.String())
	}
}

// TestInterruptedStatus: a command that Ctrl-C ends has a shell's status for it.
func TestInterruptedStatus(t *testing.T) {
	ctx, stop := untilSignal()
	defer stop()
	if err := unix.Kill(os.Getpid(), unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if got := statusOfSignal(ctx); got != 130 {
		t.Errorf("status %d, want 130", got)
	}
	if err := ctx.Err(); !interrupted(err) || interruption(err, bySignal(ctx)).Error() != "interrupted by SIGINT" {
		t.Errorf("%v is not seen as an interruption", err)
	}
	full := errors.Join(context.Canceled, &store.DiskFullError{Path: "result.json", Cause: unix.ENOSPC})
	if interrupted(full) {
		t.Error("a full disk is called an interruption")
	}
}

// TestCommandNotFound: `ue exec` answers as a shell does.
func TestCommandNotFound(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]int{"no-such-command": exitNotFound, plain: exitNotRunnable, "sh": exitDone} {
		var said bytes.Buffer
		if got := status(&said, find(command)); got != want || (want != 0) != strings.Contains(said.String(), command) {
			t.Errorf("%s: status %d, want %d, says %q", command, got, want, said.String())
		}
	}
	if _, err := exec.LookPath(plain); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the test's own file: %v", err)
	}
}

// TestCauseComesLast: what was not given back after a run does not take the place of why the run failed.
func TestCauseComesLast(t *testing.T) {
	c := &cobra.Command{}
	c.SetOut(io.Discard)
	c.SetErr(io.Discard)
	r := &record.Result{Scenario: "quick", DUTs: []record.DUT{{Name: "wire", Status: record.StatusFailed, Error: "no namespace"}}}
	err := runFlags{}.finish(c, t.TempDir(), r, campaign.LeftError{Err: errors.New("the priority stays")})
	if want := "the priority stays\nwire failed: no namespace"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
