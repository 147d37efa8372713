package host

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// priority is that of a session before a run raised it. The kernel gives every
// session the same share of a CPU (sched_autogroup), however busy each is: beside
// any other program a generator would stand still for milliseconds.
type priority struct {
	Leader process `json:"leader"` // of the session
	Nice   int     `json:"nice"`
}

// highestPriority is the highest priority.
const highestPriority = -20

// GoFirst puts this session before all others until the claim is closed. Where the
// kernel does not group by session there is nothing to do.
func (c *Claim) GoFirst() error {
	leader, err := unix.Getsid(0)
	if err != nil {
		return fmt.Errorf("find the session: %w", err)
	}
	nice, ok := autogroup(os.Getpid())
	if !ok || nice == highestPriority {
		return nil
	}
	start, err := startTime(leader)
	if err != nil {
		return nil // it has ended, or is in another PID namespace: nobody could give it back
	}
	if err := c.change(func(o *owned) { o.Priority = &priority{process{leader, start}, nice} }); err != nil {
		return err
	}
	return setAutogroup(os.Getpid(), highestPriority)
}

// returnPriority gives the session the priority that it had.
func (c *Claim) returnPriority() error {
	p := c.owns.Priority
	if p == nil {
		return nil
	}
	if err := setAutogroup(os.Getpid(), p.Nice); err != nil {
		return err
	}
	return c.change(func(o *owned) { o.Priority = nil })
}

// restore is returnPriority for a run that was killed.
func (p *priority) restore() (done bool, err error) {
	if p == nil {
		return false, nil
	}
	if start, err := startTime(p.Leader.PID); err != nil || start != p.Leader.Start {
		return false, nil // the session has ended
	}
	err = setAutogroup(p.Leader.PID, p.Nice)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func autogroupFile(pid int) string { return fmt.Sprintf("/proc/%d/autogroup", pid) }

// autogroup reads the priority of a process's session: "/autogroup-25 nice 0".
func autogroup(pid int) (nice int, ok bool) {
	text, err := os.ReadFile(autogroupFile(pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return 0, false
	}
	nice, err = strconv.Atoi(fields[len(fields)-1])
	return nice, err == nil
}

func setAutogroup(pid, nice int) error {
	if err := os.WriteFile(autogroupFile(pid), []byte(strconv.Itoa(nice)), 0); err != nil {
		return fmt.Errorf("set the priority of the session of process %d to %d: %w", pid, nice, err)
	}
	return nil
}
