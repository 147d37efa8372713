package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// latencyRequest is where programs say how soon a CPU has to wake up (Linux PM QoS).
const latencyRequest = "/dev/cpu_dma_latency"

// awake is what keeps CPUs from sleeping.
type awake struct {
	request  *os.File // that they do not; nil: none
	spinners []func() // end the processes that keep them awake
}

// StayAwake keeps idle CPUs from sleeping until the claim is closed: the wake-up of a
// sleeping CPU takes longer than most UPFs take for a packet, above all in a virtual
// machine. The kernel takes the request back when its holder ends, however that is; where
// there is no driver that heeds it, the CPUs named are kept busy with nothing.
func (c *Claim) StayAwake(cpus []int) error {
	if err := c.awake.ask(); err != nil {
		return err
	}
	if driver := idleDriver(); driver != "" && driver != "none" {
		return nil
	}
	for _, cpu := range cpus {
		if err := c.spin(cpu); err != nil {
			return fmt.Errorf("start a process for that: %w", err)
		}
	}
	return nil
}

func idleDriver() string { return read("/sys/devices/system/cpu/cpuidle/current_driver") }

func (a *awake) ask() error {
	f, err := os.OpenFile(latencyRequest, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no driver heeds it then
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(make([]byte, 4)); err != nil { // 0 us, a 32-bit number
		return errors.Join(err, f.Close())
	}
	a.request = f
	return nil
}

// end takes the request back, and ends the processes.
func (a *awake) end() error {
	for _, end := range a.spinners {
		end()
	}
	if a.request == nil {
		return nil
	}
	return a.request.Close()
}

// AwakeCommand is the first argument of a process that keeps a CPU from sleeping; the CPU
// follows. It writes to standard output when it does so. Package nosleep is to be used instead:
// nosleep.Keep works in every program that imports it.
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
	var said bytes.Buffer
	cmd.Stderr = &said
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var spinner *Child
	err = c.withoutAutogroups(func() (err error) { spinner, err = c.Launch(cmd, nil); return err })
	if err != nil {
		return err
	}
	if n, _ := ready.Read(make([]byte, 1)); n == 0 {
		<-spinner.Exited()
		return errors.New(strings.TrimSpace(said.String()))
	}
	c.awake.spinners = append(c.awake.spinners, func() {
		cmd.Process.Kill() // one that has ended already is no error
		<-spinner.Exited()
	})
	return nil
}

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
