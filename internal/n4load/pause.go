package n4load

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/threads"
)

// asleep is how long before its time a sleep ends: the kernel wakes a thread up to so
// much late.
const asleep = 120 * time.Microsecond

// until waits until a time, ns since l.begun: asleep until early before it, then by giving
// way to others. It occupies the thread.
func (l *Load) until(at int64, early time.Duration) {
	for {
		left := time.Duration(at - l.now())
		switch {
		case left <= 0:
			return
		case left > early:
			threads.Sleep(min(left-early, 10*time.Millisecond))
		default:
			unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
	}
}
