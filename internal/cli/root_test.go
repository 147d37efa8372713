package cli

import (
	"os"
	"os/signal"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// A lost terminal ends a run, but not below nohup.
func TestHangup(t *testing.T) {
	// Notify makes the signal one that is not ignored, also where nohup started the tests.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, unix.SIGHUP)
	defer signal.Stop(heard)
	if !slices.Contains(ending(), os.Signal(unix.SIGHUP)) {
		t.Error("SIGHUP does not end a run in order")
	}
	signal.Ignore(unix.SIGHUP)
	defer signal.Reset(unix.SIGHUP)
	if slices.Contains(ending(), os.Signal(unix.SIGHUP)) {
		t.Error("SIGHUP ends a run that nohup has started")
	}
}
