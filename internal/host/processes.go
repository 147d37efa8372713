package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"

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
	err := c.AddProcess(cmd.Process.Pid)
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
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.change(func(o *owned) { o.Processes = append(o.Processes, process{pid, start}) })
}

// DropProcess forgets a child that has ended.
func (c *Claim) DropProcess(pid int) error {
	return c.change(func(o *owned) {
		o.Processes = slices.DeleteFunc(o.Processes, func(p process) bool { return p.PID == pid })
	})
}
