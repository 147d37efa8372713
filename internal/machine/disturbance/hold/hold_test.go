package hold

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFaultIsTold: a timer that cannot be started again is an error of Close, which may be called twice.
func TestFaultIsTold(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for BPF: run the tests as root")
		}
		t.Skip("needs root, for BPF")
	}
	const period = 10 * time.Millisecond
	h, err := Load(0, time.Microsecond, period)
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if err := unix.Dup3(int(null.Fd()), h.clock, unix.O_CLOEXEC); err != nil { // which ends the timer
		t.Fatal(err)
	}
	h.keeper.Go(h.keepGoing) // without the program: other timers of the CPU would run it
	told := make(chan struct{})
	go func() {
		h.keeper.Wait() // it gives up
		close(told)
	}()
	select {
	case <-told:
	case <-time.After(10 * time.Second):
		t.Error("the holder goes on without a timer")
	}
	first := h.Close()
	if first == nil || !strings.Contains(first.Error(), "start the timer") {
		t.Errorf("Close: %v, want why the CPU was not held", first)
	}
	if again := h.Close(); again != first {
		t.Errorf("Close again: %v, want %v", again, first)
	}
}
