package disturbance

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Add makes processes, or kernel threads, ours, with the children that they have.
// Those that they get later are ours by themselves. A process that is gone is no
// error.
func (m *Monitor) Add(pids ...int) error {
	for _, pid := range pids {
		if err := m.objects.Ours.Put(uint32(pid), uint8(1)); err != nil {
			return fmt.Errorf("mark process %d as the run's: %w", pid, err)
		}
		// After it was marked: a child that it gets meanwhile is marked by the kernel.
		below, err := children(pid)
		if err != nil {
			return err
		}
		if err := m.Add(below...); err != nil {
			return err
		}
	}
	return nil
}

// children of all threads of a process.
func children(pid int) (list []int, err error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err := ignoreGone(err); err != nil {
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
