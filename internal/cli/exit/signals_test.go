package exit

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/results/store"
)

// TestInterruptedStatus: a command that Ctrl-C ends has a shell's status for it.
func TestInterruptedStatus(t *testing.T) {
	ctx, stop := UntilSignal()
	defer stop()
	if err := unix.Kill(os.Getpid(), unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if got := StatusOfSignal(ctx); got != 130 {
		t.Errorf("status %d, want 130", got)
	}
	if err := ctx.Err(); !Interrupted(err) || Interruption(err, BySignal(ctx)).Error() != "interrupted by SIGINT" {
		t.Errorf("%v is not seen as an interruption", err)
	}
	full := errors.Join(context.Canceled, &store.DiskFullError{Path: "result.json", Cause: unix.ENOSPC})
	if Interrupted(full) {
		t.Error("a full disk is called an interruption")
	}
}

// A lost terminal ends a run, but not below nohup.
func TestHangup(t *testing.T) {
	// Notify makes the signal one that is not ignored, also where nohup started the tests.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, unix.SIGHUP)
	defer signal.Stop(heard)
	if !slices.Contains(Ending(), os.Signal(unix.SIGHUP)) {
		t.Error("SIGHUP does not end a run in order")
	}
	signal.Ignore(unix.SIGHUP)
	defer signal.Reset(unix.SIGHUP)
	if slices.Contains(Ending(), os.Signal(unix.SIGHUP)) {
		t.Error("SIGHUP ends a run that nohup has started")
	}
}
