// Package priority lets threads go before others of their CPU.
package priority

import "golang.org/x/sys/unix"

// Raise gives a thread (0: the calling one) real-time priority (SCHED_FIFO, 1 to 99), or,
// where its control group has no real-time share, the highest of normal threads.
func Raise(tid int, to uint32) error {
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: to}
	if unix.SchedSetAttr(tid, attr, 0) == nil {
		return nil
	}
	return unix.Setpriority(unix.PRIO_PROCESS, tid, -20)
}
