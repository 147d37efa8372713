package n4load

import (
	"time"

	"golang.org/x/sys/unix"
)

// asleep is how long before its time a sleep ends: the kernel wakes a thread up to so
// much late.
const asleep = 120 * time.Microsecond

// sleepUntil waits until a time, ns since l.begun, or some us longer, and leaves the CPU to
// others.
func (l *Load) sleepUntil(at int64) {
	for {
		left := at - l.now()
		if left <= 0 {
			return
		}
		ts := unix.NsecToTimespec(min(left, int64(10*time.Millisecond)))
		_ = unix.Nanosleep(&ts, nil) // cut short by a signal: the loop goes on
	}
}

// until waits until a time, ns since l.begun: asleep as long as that is exact enough, then
// by giving way to others. It occupies the thread.
func (l *Load) until(at int64) {
	for {
		left := time.Duration(at - l.now())
		switch {
		case left <= 0:
			return
		case left > asleep:
			ts := unix.NsecToTimespec(int64(min(left-asleep, 10*time.Millisecond)))
			_ = unix.Nanosleep(&ts, nil) // cut short by a signal: the loop goes on
		default:
			unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
	}
}
