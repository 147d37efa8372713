package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A run in a container has its list in the container's own /run, and its control group on the machine. When
// the container is killed the list is gone with it, and the group is empty: its name alone says whose it
// was. So a run locks the folder of its group, which all instances of upflab see, wherever their lists
// are. The kernel drops the lock with the process.

// hold locks the group of a run until the file is closed. It is nil for one that was removed before.
func (g cgroup) hold() (*os.File, error) {
	f, err := os.Open(string(g))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX); err != nil || !named(f, string(g)) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ofSomeRun is the name of a run's group, see NewRunID; those in it are of its programs, by number.
var (
	ofSomeRun   = regexp.MustCompile(`^` + namePrefix + `([a-z2-7]{5})$`)
	ofAProgram  = regexp.MustCompile(`^[1-9][0-9]*$`)
	errNotEmpty = errors.New("a control group with others than programs' groups in it")
)

// removeEmptyGroups removes groups of runs that have no list here, no process, and no run that holds
// them. Nothing is killed: the kernel removes no group with a process.
func removeEmptyGroups(mounts, listed []string) (removed []string) {
	for _, mount := range mounts {
		_ = filepath.WalkDir(mount, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return nil // it has just gone
			}
			run := ofSomeRun.FindStringSubmatch(d.Name())
			if run == nil {
				return nil
			}
			if !slices.Contains(listed, run[1]) && cgroup(path).removeEmpty() == nil {
				removed = append(removed, fmt.Sprintf("control group %s, which was empty", path))
			}
			return fs.SkipDir
		})
	}
	return removed
}

// removeEmpty removes a group without a process, unless a run holds it.
func (g cgroup) removeEmpty() error {
	f, err := os.Open(string(g))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	folders := g.folders()
	for _, folder := range folders {
		if within, inside := strings.CutPrefix(folder, string(g)+"/"); inside && !ofAProgram.MatchString(within) {
			return errNotEmpty
		}
	}
	for _, folder := range folders {
		if err := os.Remove(folder); err != nil {
			return err
		}
	}
	return nil
}

// groupMounts are the folders on which control groups are mounted in which runs make theirs.
func groupMounts() (mounts []string) {
	seen := map[string]bool{}
	for _, mount := range append(mountsOf("cgroup2", ""), mountsOf("cgroup", "freezer")...) {
		var s unix.Stat_t
		if unix.Stat(mount, &s) == nil && !seen[fmt.Sprint(s.Dev, s.Ino)] {
			seen[fmt.Sprint(s.Dev, s.Ino)] = true
			mounts = append(mounts, mount)
		}
	}
	return mounts
}
