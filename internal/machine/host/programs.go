package host

import (
	"errors"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// place makes a control group for the next program of the run, and opens it. It gives an
// empty place where this process may make no control group, as in most user namespaces:
// what a program leaves is then found by its process group and its network namespace.
func (c *Claim) place() (g cgroup, b birthplace, err error) {
	run, err := c.runGroup()
	if run == "" || err != nil {
		return "", b, err
	}
	c.mu.Lock()
	c.programs++
	g = cgroup(run.file(strconv.Itoa(c.programs)))
	c.mu.Unlock()
	if err := g.make(); err != nil {
		return "", b, err
	}
	if b, err = g.open(); err != nil {
		_, failed := g.remove()
		return "", b, errors.Join(err, failed)
	}
	return g, b, nil
}

// runGroup is the control group of the run, which holds those of its programs; it is made
// with the first of them, after it was written down. "" where none can be made.
func (c *Claim) runGroup() (g cgroup, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owns.Cgroup != "" || c.owns.NoCgroup {
		return c.owns.Cgroup, nil
	}
	for _, home := range cgroupHomes() {
		g := cgroup(filepath.Join(home, namePrefix+c.Run))
		c.owns.Cgroup = g
		if err := c.owns.write(c.dir, c.Run); err != nil {
			c.owns.Cgroup = ""
			return "", err
		}
		if g.make() == nil {
			if c.held, err = g.hold(); c.held != nil || err != nil {
				return g, err
			}
		}
		c.owns.Cgroup = ""
	}
	c.owns.NoCgroup = true
	return "", c.owns.write(c.dir, c.Run)
}

// group is that of a program; "" for one that has none.
func (c *Claim) group(pid int) cgroup {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.groups[pid]
}

// Processes are a program that Launch started, first, and what it has started in turn
// and still runs, however that has detached itself.
func (c *Claim) Processes(pid int) []int {
	pids := []int{pid}
	for _, p := range c.group(pid).members() {
		if p != pid {
			pids = append(pids, p)
		}
	}
	return pids
}

// awaitEnd waits until a program has ended, and ends what it has started and left. Call it
// before the program is waited for: its number is not another's until then.
func (c *Claim) awaitEnd(pid int) error {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	if g := c.group(pid); g != "" {
		_, err := g.end()
		return err
	}
	if group, err := unix.Getpgid(pid); err == nil && group == pid {
		unix.Kill(-pid, unix.SIGKILL)
	}
	return nil
}

// leaveGroup ends what is left in the control group of a program and removes it.
func (c *Claim) leaveGroup(pid int) error {
	g := c.group(pid)
	if g == "" {
		return nil
	}
	if _, err := g.remove(); err != nil {
		return err // it stays on the list, with that of the run
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.groups, pid)
	return nil
}

// EndStrays ends the programs that are left in a namespace of the run, where there is no control
// group that would hold them.
func (c *Claim) EndStrays(namespace string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.owns.NoCgroup {
		return nil
	}
	_, err := EndInside(namespace)
	return err
}

// removeGroup ends whatever is left of all programs of the run.
func (c *Claim) removeGroup() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owns.Cgroup == "" {
		return nil
	}
	if _, err := c.owns.Cgroup.remove(); err != nil {
		return err
	}
	c.held.Close() // an error, where there is none
	c.owns.Cgroup, c.held = "", nil
	return c.owns.write(c.dir, c.Run)
}
