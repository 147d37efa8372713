package telemetry

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Thread is what the scheduler did with one thread so far.
type Thread struct {
	Ran    time.Duration `json:"ran_ns"`
	Waited time.Duration `json:"waited_ns"` // ready to run, while something else had the CPU
	Slices uint64        `json:"slices"`    // times it was given a CPU
}

// readThread reads a schedstat file: ns run, ns waited, times run
// (Documentation/scheduler/sched-stats.rst).
func readThread(schedstat string) (t Thread, err error) {
	b, err := os.ReadFile(schedstat)
	if err != nil {
		return t, err
	}
	fields := strings.Fields(string(b))
	if len(fields) != 3 {
		return t, fmt.Errorf("unexpected %s: %q", schedstat, b)
	}
	var v [3]uint64
	for i := range v {
		if v[i], err = strconv.ParseUint(fields[i], 10, 63); err != nil {
			return t, fmt.Errorf("unexpected %s: %w", schedstat, err)
		}
	}
	return Thread{Ran: time.Duration(v[0]), Waited: time.Duration(v[1]), Slices: v[2]}, nil
}

// Threads reads what became of the threads of a process, by their ids. A process
// that is gone has none.
func Threads(pid int) (map[int]Thread, error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return nil, err
	}
	threads := map[int]Thread{}
	for _, path := range paths {
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, fmt.Errorf("unexpected %s: %w", path, err)
		}
		t, err := readThread(path)
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the threads of process %d: %w", pid, err)
		}
		threads[id] = t
	}
	return threads, nil
}

// ProcessTime is how long the threads of a process have run, with those that have ended: the
// process's CPU clock. A process that is gone has run for 0.
func ProcessTime(pid int) (time.Duration, error) {
	// clock_getcpuclockid(3): the number of a process's clock holds the process's own.
	const scheduled = 2 // ns that its threads ran (CPUCLOCK_SCHED of the kernel)
	clock := ^int32(pid)<<3 | scheduled
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); errors.Is(err, unix.EINVAL) {
		return 0, nil // there is no such process
	} else if err != nil {
		return 0, fmt.Errorf("read the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// longestWait is the share of the time that one thread, the one that waited
// most, was ready to run and did not; switches is how often any was given a CPU.
// A thread that was not there before is left out.
func longestWait(before, after map[int]Thread, wall time.Duration) (share float64, switches uint64) {
	for id, b := range after {
		a, found := before[id]
		if !found || b.Slices < a.Slices || b.Waited < a.Waited {
			continue
		}
		switches += b.Slices - a.Slices
		share = max(share, (b.Waited-a.Waited).Seconds()/wall.Seconds())
	}
	return min(share, 1), switches
}

// busiestThread is the share of the time that one thread, the one that ran most, ran. A thread
// that was not there before began since.
func busiestThread(before, after map[int]Thread, wall time.Duration) (share float64) {
	for id, b := range after {
		if ran := b.Ran - before[id].Ran; ran > 0 {
			share = max(share, ran.Seconds()/wall.Seconds())
		}
	}
	return min(share, 1)
}
