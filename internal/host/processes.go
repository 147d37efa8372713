package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process is a child; its start time (field 22 of /proc/PID/stat) distinguishes it
// from a later one with the same number.
type process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

// StartProcess calls prepare, then starts a program and writes it down. The calling
// thread must be locked and end afterwards: the program inherits what prepare did to it.
func (c *Claim) StartProcess(cmd *exec.Cmd, prepare func() error) error {
	if err := prepare(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// Another thread writes: prepare may have mounted something over the claim's folder.
	added := make(chan error)
	go func() { added <- c.AddProcess(cmd.Process.Pid) }()
	err := <-added
	if err == nil {
		return nil
	}
	cmd.Process.Kill()
	cmd.Wait()
	return fmt.Errorf("write down process %d, %s: %w", cmd.Process.Pid, cmd.Path, err)
}

// AddProcess writes a child down, so that it is ended even if we are killed. One that
// has ended already is no error.
func (c *Claim) AddProcess(pid int) error {
	start, err := startTime(pid)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.add(func(o *owned) { o.Processes = append(o.Processes, process{pid, start}) })
}

// DropProcess forgets a child that has ended.
func (c *Claim) DropProcess(pid int) error {
	return c.drop(func(o *owned) { o.dropProcess(pid) })
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
