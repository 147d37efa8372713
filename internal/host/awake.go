package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// AwakeCommand is upflab's command that keeps CPUs from sleeping: CPUs follow.
const AwakeCommand = "stay-awake"

// autogroups is whether the scheduler shares CPUs out by session first.
const autogroups = "/proc/sys/kernel/sched_autogroup_enabled"

// spin starts a process that runs on the CPUs whenever nothing else wants them, until the
// claim is closed: where no driver puts CPUs to sleep, which is so in many virtual machines,
// PM QoS changes nothing, and an idle CPU is given back to the host. It costs the
// host tens of microseconds, and a busy one milliseconds, to return it.
func (c *Claim) spin(cpus []int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{AwakeCommand}
	for _, cpu := range cpus {
		args = append(args, strconv.Itoa(cpu))
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL, Setsid: true}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the process inherits what the thread is, and ends with it
		err := c.withoutAutogroups(func() error {
			return c.StartProcess(cmd, func() error { return LeastPriority(cpus) })
		})
		started <- err
		if err == nil {
			cmd.Wait() // it is killed
			c.DropProcess(cmd.Process.Pid)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start a process for that: %w", err)
	}
	c.awake, c.sleep = cmd.Process.Pid, func() error {
		err := cmd.Process.Kill()
		<-ended
		return err
	}
	return nil
}

// Awake is the process that keeps CPUs from sleeping; 0: there is none.
func (c *Claim) Awake() int { return c.awake }

// LeastPriority lets the calling thread, and what it starts, run on these CPUs when
// nothing else wants them.
func LeastPriority(cpus []int) error {
	if err := Pin(0, cpus...); err != nil {
		return err
	}
	return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: schedIdle, Nice: 19}, 0)
}

// schedIdle is the policy SCHED_IDLE of sched(7).
const schedIdle = 5

// withoutAutogroups runs f while processes that start are in no session's group: in one, a
// process of least priority has as much of a CPU as all of another session.
func (c *Claim) withoutAutogroups(f func() error) error {
	return withSettings(c.dir, func(s *settings, save func() error) error {
		was, err := readNumber(autogroups)
		if err != nil || was == 0 {
			return f() // the kernel has none, or does not use them
		}
		s.Autogroups = &shared{Was: was, Runs: []string{c.Run}}
		if err := save(); err != nil {
			return err
		}
		if err := writeNumber(autogroups, 0); err != nil {
			s.Autogroups = nil
			return err
		}
		err = f()
		return errors.Join(err, s.restoreAutogroups())
	})
}

func (s *settings) restoreAutogroups() error {
	if err := writeNumber(autogroups, s.Autogroups.Was); err != nil {
		return err
	}
	s.Autogroups = nil
	return nil
}

// releaseAutogroups restores what a run changed that was killed meanwhile.
func releaseAutogroups(dir, run string) error {
	return withSettings(dir, func(s *settings, save func() error) error {
		if s.Autogroups == nil || !slices.Contains(s.Autogroups.Runs, run) {
			return nil
		}
		return s.restoreAutogroups()
	})
}
