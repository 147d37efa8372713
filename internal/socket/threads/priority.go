package threads

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Raise gives a thread (0: the calling one) real-time priority (SCHED_FIFO, 1 to 99), or,
// where its control group has no real-time share, the highest of normal threads.
func Raise(tid int, to uint32) error {
	if realtime(tid, unix.SCHED_FIFO, to) == nil {
		return nil
	}
	return unix.Setpriority(unix.PRIO_PROCESS, tid, -20)
}

func realtime(tid int, policy, to uint32) error {
	return unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: policy, Priority: to}, 0)
}

// Pin lets a thread (0: the calling one) run on these CPUs only.
func Pin(tid int, cpus ...int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(tid, &set); err != nil {
		return fmt.Errorf("pin thread %d to CPU %v: %w", tid, cpus, err)
	}
	return nil
}

// GoFirst has the calling thread run on these CPUs (none: on any) before others there, as far
// as it may.
func GoFirst(cpus ...int) {
	if len(cpus) > 0 {
		_ = Pin(0, cpus...)
	}
	_ = Raise(0, 1)
}

// RaiseAll gives all threads of this process real-time priority (1 to 99), those too that it
// starts later. They have the same one and take turns (SCHED_RR): Go's runtime lets a thread
// yield the CPU again and again until another of the process has done something, which one of
// lower priority never would on the same CPU.
func RaiseAll(to uint32) error {
	raised := map[int]bool{}
	for before := -1; len(raised) > before; { // until no thread was started meanwhile
		before = len(raised)
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("list the threads: %w", err)
		}
		for _, task := range tasks {
			tid, err := strconv.Atoi(task.Name())
			if err != nil || raised[tid] {
				continue
			}
			if err := realtime(tid, unix.SCHED_RR, to); err != nil && err != unix.ESRCH {
				return fmt.Errorf("give thread %d real-time priority: %w", tid, err)
			}
			raised[tid] = true
		}
	}
	return nil
}
