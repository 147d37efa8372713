package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// alive are the processes listed that still run, and not others that got their
// number since.
func (o owned) alive() (pids []int) {
	for _, p := range o.Processes {
		if start, err := startTime(p.PID); err == nil && start == p.Start {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// children are what the processes listed have started and left: members of
// their process groups inside the run's namespaces. A program that was wrapped,
// as by perf, outlives the wrapper so.
func (o owned) children(namespaces []string) (pids []int) {
	groups := map[int]bool{}
	for _, p := range o.Processes {
		groups[p.PID] = true
	}
	inside := map[inode]bool{}
	for _, path := range namespaces {
		if id, err := inodeOf(path); err == nil {
			inside[id] = true
		}
	}
	paths, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		group, err := unix.Getpgid(pid)
		if err != nil || !groups[group] || group == pid {
			continue
		}
		if id, err := inodeOf(fmt.Sprintf("%s/ns/net", path)); err == nil && inside[id] {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// inode tells namespaces apart.
type inode struct{ device, number uint64 }

func inodeOf(path string) (inode, error) {
	var s unix.Stat_t
	err := unix.Stat(path, &s)
	return inode{s.Dev, s.Ino}, err
}
