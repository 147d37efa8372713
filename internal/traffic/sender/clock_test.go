package sender

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestMonotonicIsTheKernels(t *testing.T) {
	m := NewClock()
	for range 1000 {
		before := m.Now()
		var ts unix.Timespec
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
		after := m.Now()
		const slack = 1000
		if kernel := uint64(ts.Nano()); kernel+slack < before || kernel > after+slack {
			t.Fatalf("the kernel's clock says %d between %d and %d", kernel, before, after)
		}
	}
}
