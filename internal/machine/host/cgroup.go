package host

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
)

// cgroup is a folder of a control group that upflab made. It holds a program and all that
// the program starts: a process that detaches itself (setsid, two forks) changes its parent,
// its session and its process group, and stays in its control group. Version 2 of control
// groups is used where it is mounted, with or without controllers, otherwise the freezer
// of version 1. Neither takes part in the sharing of CPU time or memory.
type cgroup string

// cgroupHomes are the folders below which this process may make a control group, the
// best first: that of its own group, and the root of what is mounted.
func cgroupHomes() (homes []string) {
	groups, _ := os.ReadFile("/proc/self/cgroup")
	find := func(kind, option, own string) {
		for _, mount := range mountsOf(kind, option) {
			for _, home := range []string{filepath.Join(mount, own), mount} {
				if !slices.Contains(homes, home) && mayHold(home) {
					homes = append(homes, home)
				}
			}
		}
	}
	for line := range strings.Lines(string(groups)) { // "0::/a" is of version 2, "5:freezer:/b" of version 1
		number, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, own, _ := strings.Cut(rest, ":")
		switch {
		case number == "0" && controllers == "":
			find("cgroup2", "", own)
		case slices.Contains(strings.Split(controllers, ","), "freezer"):
			defer find("cgroup", "freezer", own) // after version 2, wherever it is listed
		}
	}
	return homes
}

// firstRoot leads to the files that the first process sees: below `ip netns exec` another /sys
// hides the control groups.
func firstRoot() string { return firstProcess() + "/root" }

// mountsOf are the folders on which a kind of file system with an option is mounted, as we and
// as the first process see them.
func mountsOf(kind, option string) (folders []string) {
	for _, of := range []struct{ list, root string }{{"/proc/self/mounts", ""}, {firstProcess() + "/mounts", firstRoot()}} {
		mounts, _ := os.ReadFile(of.list)
		for line := range strings.Lines(string(mounts)) {
			f := strings.Fields(line) // source, target, kind, options
			if len(f) >= 4 && f[2] == kind && (option == "" || slices.Contains(strings.Split(f[3], ","), option)) {
				folders = append(folders, of.root+f[1])
			}
		}
	}
	return folders
}

// mayHold reports whether a control group can be made in a folder, and processes be
// born into it.
func mayHold(home string) bool {
	return unix.Access(home, unix.W_OK|unix.X_OK) == nil && unix.Access(filepath.Join(home, "cgroup.procs"), unix.W_OK) == nil
}

// is2 reports whether the group is of version 2 (Linux 5.14 or later).
func (g cgroup) is2() bool {
	_, err := os.Stat(g.file("cgroup.kill"))
	return err == nil
}

func (g cgroup) file(name string) string { return filepath.Join(string(g), name) }

// make makes the group, which others cannot open: a lock of theirs would keep the run waiting. One of version 2
// below a group of threads can hold no process.
func (g cgroup) make() error {
	if err := os.Mkdir(string(g), 0o700); err != nil {
		return err
	}
	_, freezer := os.Stat(g.file("freezer.state"))
	kind, err := os.ReadFile(g.file("cgroup.type"))
	if g.is2() && err == nil && strings.HasPrefix(string(kind), "domain") && !strings.Contains(string(kind), "invalid") || freezer == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("control group %s can hold no process", g), os.Remove(string(g)))
}

// birthplace lets a command be born into a control group. It is opened before the calling
// thread hides /sys from the command.
type birthplace struct {
	folder     *os.File // version 2
	into, home *os.File // version 1: the list of threads of the group, and of our own one
}

func (g cgroup) open() (b birthplace, err error) {
	if g.is2() {
		b.folder, err = os.Open(string(g))
		return b, err
	}
	b.into, err = os.OpenFile(g.file("tasks"), os.O_WRONLY, 0)
	if err == nil {
		b.home, err = os.OpenFile(g.beyond().file("tasks"), os.O_WRONLY, 0)
	}
	if err != nil {
		b.close()
	}
	return b, err
}

// beyond is the group in which that of the run was made.
func (g cgroup) beyond() cgroup { return cgroup(filepath.Dir(filepath.Dir(string(g)))) }

func (b birthplace) close() {
	for _, f := range []*os.File{b.folder, b.into, b.home} {
		if f != nil {
			f.Close()
		}
	}
}

// start starts the command in the group. With version 1 a child is born where the thread is
// that starts it.
func (b birthplace) start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &unix.SysProcAttr{}
	}
	const thisThread = "0"
	switch {
	case b.folder != nil:
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(b.folder.Fd())
	case b.into != nil:
		if _, err := b.into.WriteString(thisThread); err != nil {
			return fmt.Errorf("enter control group %s: %w", b.into.Name(), err)
		}
		defer b.home.WriteString(thisThread)
	}
	return cmd.Start()
}

// members are the processes in the group and in those that its processes made within it.
// A group that is gone has none.
func (g cgroup) members() (pids []int) {
	for _, folder := range g.folders() {
		f, err := os.Open(filepath.Join(folder, "cgroup.procs"))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			// 0 is a process of another PID namespace. We are listed while a thread of ours starts a command.
			if pid, err := strconv.Atoi(lines.Text()); err == nil && pid > 0 && pid != os.Getpid() {
				pids = append(pids, pid)
			}
		}
		f.Close()
	}
	return pids
}

// folders are the group's and those within it, the innermost first.
func (g cgroup) folders() (list []string) {
	filepath.WalkDir(string(g), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			list = append(list, path)
		}
		return nil
	})
	slices.Reverse(list)
	return list
}

// end kills all that is in the group, and waits until nothing is.
func (g cgroup) end() (were bool, err error) {
	var left []int
	ended := wait.Until(groupEndWithin, time.Millisecond, func() bool {
		if left = g.members(); len(left) == 0 {
			return true
		}
		were = true
		err = g.kill()
		return err != nil
	})
	if err != nil {
		return were, fmt.Errorf("kill processes %v: %w", left, err)
	}
	if !ended {
		return were, fmt.Errorf("processes %v have not ended %v after SIGKILL", left, groupEndWithin)
	}
	return were, nil
}

// groupEndWithin is how long the kernel may take to end what was killed: it takes down devices
// and BPF programs first, and waits for others who do the same.
const groupEndWithin = 30 * time.Second

func (g cgroup) kill() error {
	if g.is2() {
		return os.WriteFile(g.file("cgroup.kill"), []byte("1"), 0)
	}
	// Frozen processes start no others while they are killed.
	state := g.file("freezer.state")
	if err := os.WriteFile(state, []byte("FROZEN"), 0); err != nil {
		return err
	}
	for _, pid := range g.members() {
		unix.Kill(pid, unix.SIGKILL) // it may just have ended
	}
	return os.WriteFile(state, []byte("THAWED"), 0)
}

// remove ends what is in the group and removes it. One that is gone is no error.
func (g cgroup) remove() (were bool, err error) {
	if were, err = g.end(); err != nil {
		return were, err
	}
	wait.Until(endWithin, time.Millisecond, func() bool {
		err = nil
		for _, folder := range g.folders() {
			if failed := os.Remove(folder); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
				err = failed // the kernel may still be at the end of a process
			}
		}
		return err == nil
	})
	return were, err
}

// ofRun finds the group that the list of a run names, and refuses a folder that is none of the
// run's: what is in it would be killed. "" is one that is gone.
func (g cgroup) ofRun(run string) (cgroup, error) {
	if filepath.Base(string(g)) != namePrefix+run {
		return "", fmt.Errorf("%s is no control group of run %s: look at it, and remove it from the list", g, run)
	}
	for _, root := range [...]string{"", firstRoot()} {
		for at := root + string(g); len(at) > len(root)+1; at = filepath.Dir(at) {
			var s unix.Statfs_t
			if err := unix.Statfs(at, &s); err != nil {
				continue // it is gone, and so may be the group that it was made in
			}
			if s.Type != unix.CGROUP2_SUPER_MAGIC && s.Type != unix.CGROUP_SUPER_MAGIC {
				break // no control groups are mounted here
			}
			if at != root+string(g) {
				return "", nil
			}
			return cgroup(at), nil
		}
	}
	return "", fmt.Errorf("control group %s cannot be seen from here: run `upflab clean` where control groups are mounted", g)
}
