package ethtool

import (
	"fmt"
	"testing"
)

// TestAtEachDepth: whatever is left of the stack, an answer arrives in the request: it is not on the stack.
func TestAtEachDepth(t *testing.T) {
	want, err := Features("lo")
	if err != nil {
		t.Fatal(err)
	}
	if len(want) < 40 || !want["loopback"] {
		t.Fatalf("%d features of lo: %v", len(want), want)
	}
	for depth := range 60 {
		done := make(chan error)
		go func() { // with a new stack
			done <- deep(depth, func() error {
				got, err := Features("lo")
				if err == nil && len(got) != len(want) {
					err = fmt.Errorf("%d features at depth %d, want %d", len(got), depth, len(want))
				}
				return err
			})
		}()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// deep calls f with so much of the stack used.
func deep(depth int, f func() error) error {
	var used [256]byte
	used[depth] = 1
	if depth == 0 {
		return f()
	}
	err := deep(depth-1, f)
	if used[depth] != 1 {
		return fmt.Errorf("the stack changed at depth %d", depth)
	}
	return err
}

// TestUnknown: what a device does not have is an error that names the device, and so is a device that is not there.
func TestUnknown(t *testing.T) {
	if err := SetFeatures("lo", map[string]bool{"no-such-feature": true}); err == nil {
		t.Error("an unknown feature was switched")
	}
	if _, err := Features("no-such-device"); err == nil {
		t.Error("a device that is not there has features")
	}
	if _, _, err := ChannelsOf("lo"); err == nil {
		t.Error("lo has channels")
	}
}
