package selftest

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// TestHog: it takes about half of its CPU, and nothing once it has ended.
func TestHog(t *testing.T) {
	sitetest.Privileged(t)
	used := func() time.Duration {
		var u unix.Rusage
		unix.Getrusage(unix.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	took := func() time.Duration {
		before := used()
		h := startHog(0, half)
		time.Sleep(200 * time.Millisecond) // it runs so long
		if err := h.end(); err != nil {
			t.Fatal(err)
		}
		return used() - before
	}
	got := took()
	for try := 1; try < 20 && got < 40*time.Millisecond; try++ { // others have the CPU
		got = took()
	}
	if got < 40*time.Millisecond || got > 180*time.Millisecond {
		t.Errorf("it used %v of 200 ms", got)
	}
	if startHog(1<<9, half).end() == nil {
		t.Error("a CPU that there is not is no error")
	}
}
