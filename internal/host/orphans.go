package host

import (
	"fmt"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
)

// alive are the processes listed that still run.
func (o owned) alive() (list []process) {
	for _, p := range o.Processes {
		if p.alive() {
			list = append(list, p)
		}
	}
	return list
}

// orphans are the processes listed that still run, and what they started and left:
// members of their process groups inside the run's namespaces. A program that was
// wrapped, as by perf, outlives the wrapper so.
func (o owned) orphans(namespaces []string) []process {
	list := o.alive()
	groups := map[int]bool{}
	for _, p := range o.Processes {
		groups[p.PID] = true
	}
	inside := map[inode]bool{}
	for _, name := range namespaces {
		if id, err := inodeOf(filepath.Join(netdev.NamedDir, name)); err == nil {
			inside[id] = true
		}
	}
	paths, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		start, err := startTime(pid) // first: what is read after it is of this process if it is alive then
		if err != nil {
			continue
		}
		group, err := unix.Getpgid(pid)
		if err != nil || !groups[group] || group == pid {
			continue
		}
		if id, err := inodeOf(fmt.Sprintf("%s/ns/net", path)); err == nil && inside[id] {
			list = append(list, process{pid, start})
		}
	}
	return list
}

// inode identifies a namespace.
type inode struct{ device, number uint64 }

func inodeOf(path string) (inode, error) {
	var s unix.Stat_t
	err := unix.Stat(path, &s)
	return inode{s.Dev, s.Ino}, err
}
