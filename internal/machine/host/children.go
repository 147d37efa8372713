package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Children are the processes that the threads of a process have started and that have not
// ended. One that is gone has none.
func Children(pid int) (list []int, err error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil && !gone(err) {
			return nil, fmt.Errorf("read the children of process %d: %w", pid, err)
		}
		for _, field := range strings.Fields(string(b)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				return nil, fmt.Errorf("unexpected %s: %w", path, err)
			}
			list = append(list, child)
		}
	}
	return list, nil
}

// Descendants are a process, first, and what it has started in turn and still runs. They
// are all in a PID namespace of which it is process 1.
func Descendants(pid int) (list []int, err error) {
	list = []int{pid}
	for i := 0; i < len(list); i++ {
		below, err := Children(list[i])
		if err != nil {
			return list, err
		}
		list = append(list, below...)
	}
	return list, nil
}

// ticks is how many parts of a second times in /proc/PID/stat are given in (USER_HZ).
const ticks = 100

// UserTime is how long processes ran outside the kernel so far, with their children, also
// those that have ended. One that is gone has 0.
func UserTime(pids ...int) (sum time.Duration, err error) {
	seen := map[int]bool{}
	for len(pids) > 0 {
		pid := pids[0]
		if pids = pids[1:]; seen[pid] {
			continue
		}
		seen[pid] = true
		own, err := userTime(pid)
		if err != nil {
			return 0, err
		}
		sum += own
		below, err := Children(pid)
		if err != nil {
			return 0, err
		}
		pids = append(pids, below...)
	}
	return sum, nil
}

// userTime is that of a process, and of children of its that have ended (utime and cutime
// of proc(5)).
func userTime(pid int) (time.Duration, error) {
	fields, err := statFields(pid)
	if gone(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	const utime, cutime = 14 - 3, 16 - 3 // state is field 3
	own, err := strconv.ParseUint(fields[utime], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("unexpected /proc/%d/stat: %w", pid, err)
	}
	ended, err := strconv.ParseUint(fields[cutime], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("unexpected /proc/%d/stat: %w", pid, err)
	}
	return time.Duration(own+ended) * time.Second / ticks, nil
}
