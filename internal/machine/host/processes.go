package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// process is a child; its start time (field 22 of /proc/PID/stat) distinguishes it
// from a later one with the same number.
type process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

// startProcess calls prepare, then starts a program in a control group and writes both
// down. The calling thread must be locked and end afterwards: the program inherits what
// prepare did to it.
func (c *Claim) startProcess(cmd *exec.Cmd, prepare func() error) error {
	var g cgroup
	var at birthplace
	err := elsewhere(func() (err error) { g, at, err = c.place(); return err })
	if err != nil {
		return fmt.Errorf("make a control group for %s: %w", cmd.Path, err)
	}
	defer at.close()
	if err = prepare(); err == nil {
		err = at.start(cmd)
	}
	if err != nil {
		return errors.Join(err, elsewhere(func() error { _, err := g.remove(); return err }))
	}
	pid := cmd.Process.Pid
	c.mu.Lock()
	c.groups[pid] = g
	c.mu.Unlock()
	err = elsewhere(func() error { return c.AddProcess(pid) })
	if err == nil {
		return nil
	}
	cmd.Process.Kill()
	cmd.Wait()
	return errors.Join(fmt.Errorf("write down process %d, %s: %w", pid, cmd.Path, err), elsewhere(func() error { return c.leaveGroup(pid) }))
}

// elsewhere runs f on another thread: that of the caller may see other mounts.
func elsewhere(f func() error) error {
	done := make(chan error)
	go func() { done <- f() }()
	return <-done
}

// AddProcess writes a child down, so that it is ended even if we are killed. One that
// has ended already is no error.
func (l *list) AddProcess(pid int) error {
	start, err := startTime(pid)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.add(func(o *owned) { o.Processes = append(o.Processes, process{pid, start}) })
}

// DropProcess forgets a child that has ended, and ends what it left.
func (c *Claim) DropProcess(pid int) error {
	return errors.Join(c.leaveGroup(pid), c.drop(func(o *owned) { o.dropProcess(pid) }))
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }

// alive reports whether the process runs, and not another one with its number.
func (p process) alive() bool {
	start, err := startTime(p.PID)
	return err == nil && start == p.Start
}

// endWithin is how long a killed process may take to end.
const endWithin = 5 * time.Second

// kill ends the process and waits for that: what it holds is free afterwards.
func (p process) kill() (was bool, err error) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if gone(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	if !p.alive() { // asked after the descriptor was opened: it names this process
		return false, nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !gone(err) {
		return true, err
	}
	return true, awaitEnd(fd)
}

// awaitEnd waits until the process of a pidfd has ended.
func awaitEnd(fd int) error {
	for end := time.Now().Add(endWithin); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(time.Until(end).Milliseconds())+1)
		if err == unix.EINTR && time.Now().Before(end) {
			continue
		}
		if err == nil && n == 0 {
			return fmt.Errorf("it has not ended %v after SIGKILL", endWithin)
		}
		return err
	}
}

// startTime is when a process started, in clock ticks since boot.
func startTime(pid int) (uint64, error) {
	fields, err := statFields(pid)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(fields[22-3], 10, 64) // state is field 3
}

// statFields are those of /proc/PID/stat from the third on, 20 at least.
func statFields(pid int) ([]string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// The name, in parentheses, may hold anything; fields follow the last ")".
	s := string(b)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(fields) < 20 {
		return nil, fmt.Errorf("unexpected /proc/%d/stat", pid)
	}
	return fields, nil
}

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

// EndInside kills every process in a named network namespace but this one, until there
// is none, and reports whether there were any. It is for namespaces that users' programs run in: what those
// leave behind goes with the namespace. A namespace that does not exist has none.
func EndInside(name string) (were bool, err error) {
	id, err := inodeOf(filepath.Join(netdev.NamedDir, name))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at namespace %s: %w", name, err)
	}
	const rounds = 10 // a process may start another while it is killed
	for range rounds {
		list := inside(id)
		if len(list) == 0 {
			return were, nil
		}
		were = true
		for _, p := range list {
			if _, err := p.kill(); err != nil {
				return were, fmt.Errorf("end process %d in namespace %s: %w", p.PID, name, err)
			}
		}
	}
	return were, fmt.Errorf("programs in namespace %s start others faster than they can be ended", name)
}

// inside are the processes in a network namespace. Zombies have none.
func inside(id inode) (list []process) {
	paths, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil || pid == os.Getpid() {
			continue
		}
		start, err := startTime(pid) // first, as in orphans
		if err != nil {
			continue
		}
		if at, err := inodeOf(path + "/ns/net"); err == nil && at == id {
			list = append(list, process{pid, start})
		}
	}
	return list
}
