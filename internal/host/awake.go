package host

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// AwakeCommand is upflab's command that keeps a CPU from sleeping: the CPU follows.
const AwakeCommand = "stay-awake"

// autogroups is whether the scheduler shares CPUs out by session first.
const autogroups = "/proc/sys/kernel/sched_autogroup_enabled"

// spin starts a process that runs on a CPU whenever nothing else wants it, until the
// claim is closed: where no driver puts CPUs to sleep, which is so in many virtual machines,
// PM QoS changes nothing, and an idle CPU is given back to the host. It costs the
// host tens of microseconds, and a busy one milliseconds, to return it.
func (c *Claim) spin(cpu int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, AwakeCommand, strconv.Itoa(cpu))
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL, Setsid: true}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the process inherits what the thread is, and ends with it
		err := c.withoutAutogroups(func() error {
			return c.StartProcess(cmd, func() error { return leastPriority(cpu) })
		})
		started <- err
		if err == nil {
			cmd.Wait() // it is killed
			c.DropProcess(cmd.Process.Pid)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	c.awake = append(c.awake, func() error {
		err := cmd.Process.Kill()
		<-ended
		return err
	})
	return nil
}

// leastPriority lets the calling thread, and what it starts, run on a CPU when nothing
// else wants it.
func leastPriority(cpu int) error {
	if err := Pin(0, cpu); err != nil {
		return err
	}
	return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: schedIdle, Nice: 19}, 0)
}

// schedIdle is the policy SCHED_IDLE of sched(7).
const schedIdle = 5

// withoutAutogroups runs f while processes that start are in no session's group: in one, a
// process of least priority has as much of a CPU as all of another session. The first thread
// of such a process stays in none.
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
