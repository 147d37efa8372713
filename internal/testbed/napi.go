package testbed

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
	prefix := "napi/" + p.Name + "-"
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
// thread i on CPU i modulo their number. Their priority is the highest that
// normal threads have: in a softirq, where they would run otherwise, nothing
// else would come between.
func (p *Port) PinNAPI(cpus []int) ([]int, error) {
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
		if err := unix.Setpriority(unix.PRIO_PROCESS, pid, -20); err != nil {
			return nil, fmt.Errorf("raise priority of NAPI thread of %s: %w", p.Name, err)
		}
	}
	return pids, nil
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
