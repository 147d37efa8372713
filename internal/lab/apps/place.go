package apps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
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
	claim  *host.Claim
	stdout bounded
	stderr bounded
	stdin  io.Closer // of a remote one: it lives as long as this is open
	ended  chan struct{}
	err    error // of Wait, once ended is closed
}

// Start runs a program. It must be waited for or stopped.
func (p Place) Start(args ...string) (*Program, error) {
	out := &Program{Name: args[0], claim: p.Claim, ended: make(chan struct{}),
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
	err := p.inside(func() error { return p.Claim.StartProcess(out.cmd, p.stay) })
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	out.PID = out.cmd.Process.Pid
	go func() {
		left := out.claim.AwaitEnd(out.PID)
		out.err = errors.Join(out.cmd.Wait(), left)
		close(out.ended)
	}()
	return out, nil
}

// inside runs f in the place's namespace; a remote place has none here.
func (p Place) inside(f func() error) error {
	if p.Namespace != nil {
		return p.Namespace.Do(f)
	}
	runtime.LockOSThread() // f changes what the thread has
	defer runtime.UnlockOSThread()
	return f()
}

// stay keeps the calling thread, and what it starts, on the place's CPUs.
func (p Place) stay() error {
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
	if err := p.claim.DropProcess(p.PID); err != nil {
		return out, err
	}
	if cut != nil {
		return out, fmt.Errorf("%s did not end in time and was killed: %w", p.Name, cut)
	}
	if p.err != nil {
		return out, &EndError{Name: p.Name, Status: p.err, Said: units.LastLine(out.Stderr)}
	}
	return out, nil
}

// await waits, and kills what has not ended when ctx does.
func (p *Program) await(ctx context.Context) error {
	select {
	case <-p.ended: // however late it is asked
		return nil
	default:
	}
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		p.kill()
		<-p.ended
		return ctx.Err()
	}
}

// Stop ends the program at once, if it still runs.
func (p *Program) Stop() (Output, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out, err := p.Wait(ctx)
	var ended *EndError
	if errors.Is(err, context.Canceled) || errors.As(err, &ended) {
		err = nil
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
