package site

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// NAPIThreads gives the kernel threads that receive for the port. There are some
// only when it is threaded and its NAPI is on (an XDP program, or GRO).
func (p *Port) NAPIThreads() ([]int, error) {
	comms, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return nil, err
	}
	prefix := "napi/" + p.device().Name + "-"
	var pids []int
	for _, path := range comms {
		b, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(b), prefix) {
			continue // processes come and go
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// PinNAPI makes the port's NAPI threaded and runs its threads on the CPUs given,
// thread i on CPU i modulo their number.
//
// With realtime they go before all normal threads, as the softirq would that they
// stand for: an XDP data path has nothing else to do there. Without, they share
// the CPU fairly with a UPF's process that reads what they deliver.
func (p *Port) PinNAPI(cpus []int, realtime bool) ([]int, error) {
	if err := p.SetThreaded(true); err != nil {
		return nil, err
	}
	pids, err := p.NAPIThreads()
	if err != nil {
		return nil, err
	}
	for i, pid := range pids {
		if err := Pin(pid, cpus[i%len(cpus)]); err != nil {
			return nil, fmt.Errorf("pin NAPI thread of %s: %w", p.Name, err)
		}
		if !realtime {
			continue
		}
		if err := goFirst(pid); err != nil {
			return nil, fmt.Errorf("raise priority of NAPI thread of %s: %w", p.Name, err)
		}
	}
	return pids, nil
}

// goFirst gives a thread real-time priority, or, where its control group has no
// real-time share, the highest of normal threads.
func goFirst(tid int) error {
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	if unix.SchedSetAttr(tid, attr, 0) == nil {
		return nil
	}
	return unix.Setpriority(unix.PRIO_PROCESS, tid, -20)
}

// Pin lets a thread (0: the calling one) run on the given CPUs only.
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
