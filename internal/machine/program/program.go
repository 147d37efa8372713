// Package program runs programs in a network namespace that a run made: what users run
// as a UE, and the data network's servers. A program is on the run's list, and dies with upflab.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// Spec says what to run. Claim, Namespace and Args are needed.
type Spec struct {
	Claim     *host.Claim
	Namespace *netdev.Namespace
	Args      []string // the program first: a name that PATH leads to, or a path
	Env       []string // in addition to upflab's own
	Dir       string   // "": the current one
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	CPUs      []int      // that it may use; nil: all
	User      User       // that it runs as
	Resolver  netip.Addr // of its /etc/resolv.conf; invalid: that of the machine
	// Foreground leaves the program in upflab's session, where it has the terminal and
	// its signals. Otherwise it has its own.
	Foreground bool
	// Privileged leaves it root's capabilities. Otherwise it has none: it cannot change
	// networks or the machine, also where it runs as root.
	Privileged bool
}

// Program is a running program.
type Program struct {
	cmd   *exec.Cmd
	child *host.Child
}

// grace is how long a program has to end after SIGTERM.
const grace = 3 * time.Second

// Start starts the program. When ctx ends it gets SIGTERM, and 3 s later SIGKILL. The
// error names a program that is not there.
func Start(ctx context.Context, s Spec) (*Program, error) {
	if len(s.Args) == 0 {
		return nil, errors.New("no program to run")
	}
	p := &Program{cmd: exec.CommandContext(ctx, s.Args[0], s.Args[1:]...)}
	c := p.cmd
	c.Env, c.Dir = slices.Concat(os.Environ(), s.User.Environment(), s.Env), s.Dir
	c.Stdin, c.Stdout, c.Stderr = s.Stdin, s.Stdout, s.Stderr
	c.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL, Setsid: !s.Foreground, Credential: s.User.Credential()}
	c.Cancel = func() error { return p.end(unix.SIGTERM, !s.Foreground) }
	c.WaitDelay = grace
	var err error
	if p.child, err = s.Claim.Launch(c, s.prepare); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Args[0], err)
	}
	return p, nil
}

func (p *Program) end(signal unix.Signal, group bool) error {
	pid := p.PID()
	if group {
		pid = -pid
	}
	err := unix.Kill(pid, signal)
	if err == unix.ESRCH {
		return os.ErrProcessDone
	}
	return err
}

// PID gives the process ID of the program.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Exited is closed when the program has ended.
func (p *Program) Exited() <-chan struct{} { return p.child.Exited() }

// Signal sends it a signal.
func (p *Program) Signal(signal os.Signal) error { return p.cmd.Process.Signal(signal) }

// Wait waits for the end. An *exec.ExitError is in the error of a program that failed.
func (p *Program) Wait() error { return errors.Join(p.child.Wait(), p.child.Left()) }
