package apps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/text/units"
)

// Place is where programs run: in a namespace of this machine, or on another one. They are in the claim while they run, so that none is
// left when upflab is killed.
type Place struct {
	Namespace *netdev.Namespace
	Claim     *host.Claim
	CPUs      []int // nil: any
	Remote    *Remote
}

// OutputMax bounds what is kept of a program's standard output, octets.
const OutputMax = 16 << 20

// Program is a program that was started.
type Program struct {
	Name   string
	PID    int
	cmd    *exec.Cmd
	stdout bounded
	stderr bounded
	stdin  io.Closer // of a remote one: it lives as long as this is open
	child  *host.Child
}

// Start runs a program. It must be waited for or stopped.
func (p Place) Start(args ...string) (*Program, error) {
	out := &Program{Name: args[0],
		stdout: bounded{most: OutputMax}, stderr: bounded{most: 64 << 10}}
	if p.Remote != nil {
		args = p.Remote.command(args)
	}
	out.cmd = exec.Command(args[0], args[1:]...)
	if p.Remote != nil {
		var err error
		if out.stdin, err = out.cmd.StdinPipe(); err != nil {
			return nil, fmt.Errorf("start %s: %w", out.Name, err)
		}
	}
	out.cmd.Stdout, out.cmd.Stderr = &out.stdout, &out.stderr
	out.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out.cmd.WaitDelay = time.Second // something may have handed its pipes on
	var err error
	if out.child, err = p.Claim.Launch(out.cmd, p.enter); err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	out.PID = out.cmd.Process.Pid
	return out, nil
}

// enter moves the calling thread, and what it starts, to the place's namespace and CPUs. A
// remote place has no namespace here.
func (p Place) enter() error {
	if p.Namespace != nil {
		if err := p.Namespace.Enter(); err != nil {
			return err
		}
	}
	if len(p.CPUs) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, cpu := range p.CPUs {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("stay on CPUs %v: %w", p.CPUs, err)
	}
	return nil
}

// Output is what a program left.
type Output struct {
	Stdout []byte
	Stderr string
	CPU    time.Duration // of all its threads
}

// Wait waits for its end; when ctx ends first, the program and what it started are
// killed, and the error is the context's.
func (p *Program) Wait(ctx context.Context) (Output, error) {
	cut := p.await(ctx)
	out := Output{Stdout: p.stdout.bytes(), Stderr: strings.TrimSpace(string(p.stderr.bytes()))}
	if s := p.cmd.ProcessState; s != nil {
		out.CPU = s.UserTime() + s.SystemTime()
	}
	err := p.child.Wait()
	switch {
	case cut != nil:
		err = fmt.Errorf("%s did not end in time and was killed: %w", p.Name, cut)
	case err != nil:
		err = &EndError{Name: p.Name, Status: err, Said: units.LastLine(out.Stderr)}
	}
	return out, errors.Join(err, p.child.Left())
}

// await waits, and kills what has not ended when ctx does.
func (p *Program) await(ctx context.Context) error {
	select {
	case <-p.child.Exited(): // however late it is asked
		return nil
	default:
	}
	select {
	case <-p.child.Exited():
		return nil
	case <-ctx.Done():
		p.kill()
		<-p.child.Exited()
		return ctx.Err()
	}
}

// Stop ends the program at once, if it still runs.
func (p *Program) Stop() (Output, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out, err := p.Wait(ctx)
	var ended *EndError
	if errors.Is(err, context.Canceled) || errors.As(err, &ended) { // as it should: only what is left is an error
		err = p.child.Left()
	}
	return out, err
}

// hangUp ends a remote program, which sees the end of its connection.
func (p *Program) hangUp() {
	if p.stdin != nil {
		p.stdin.Close()
	}
}

func (p *Program) kill() { syscall.Kill(-p.PID, syscall.SIGKILL) } // it may just have ended

// EndError is a program that ended with another status than 0.
type EndError struct {
	Name   string
	Status error
	Said   string // its last line on standard error
}

// Error implements error: it says how the program ended, and what it said last.
func (e *EndError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("%s ended with %v", e.Name, e.Status)
	}
	return fmt.Sprintf("%s ended with %v: %s", e.Name, e.Status, e.Said)
}

// Unwrap is the error of exec.Cmd.Wait.
func (e *EndError) Unwrap() error { return e.Status }

// bounded keeps the first octets that are written and counts none as an error.
type bounded struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := b.most - b.buf.Len(); room > 0 {
		b.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}
