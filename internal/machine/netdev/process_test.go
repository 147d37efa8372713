package netdev

import (
	"os"
	"slices"
	"testing"
)

// TestDevicesOf: the devices of a process's namespace are named; those of one that is gone are none.
func TestDevicesOf(t *testing.T) {
	if got := DevicesOf(os.Getpid()); !slices.Contains(got, "lo") || slices.ContainsFunc(got, func(s string) bool { return s == "" }) {
		t.Errorf("%q", got)
	}
	if got := DevicesOf(1 << 22); got != nil {
		t.Errorf("of no process: %q", got)
	}
}
