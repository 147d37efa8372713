package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/vm/inside"
	"github.com/upflab/upflab/internal/text/units"
)

// Command is what a guest runs.
type Command struct {
	Program string // upflab, which is the guest's first process
	Args    []string
	Dir     string
	Env     []string // KEY=VALUE, beside PATH and HOME
	Stderr  io.Writer
	// MutesOutput drops its standard output, which else goes to Stderr.
	MutesOutput bool
	Console     io.Writer       // gets all that the guest's kernel prints; nil: nobody does
	Up          func(inside.Up) // it begins
}

// times are what a guest gets to boot, between two signs of life, and to end when asked. One that is emulated is some fifty times as slow.
type times struct{ boot, silence, end time.Duration }

func (a Accelerator) times() times {
	if a == KVM {
		return times{boot: time.Minute, silence: 30 * time.Second, end: time.Minute}
	}
	return times{boot: 5 * time.Minute, silence: 3 * time.Minute, end: 2 * time.Minute}
}

// Run boots a guest, runs a command in it to its end, and gives the command's exit status. The end of ctx ends
// the command in order, or the guest where it still boots: the error is then that of ctx, unless the command has
// a status.
func (q *QEMU) Run(ctx context.Context, m Machine, c Command) (status int, err error) {
	return (&guest{machine: m, command: c, limit: m.Accel.times()}).run(ctx, q)
}

// guest is one that runs.
type guest struct {
	machine Machine
	command Command
	limit   times
	console console
	up      bool
}

// files are QEMU's ends of what connects it with this process.
type files struct {
	initramfs, console, in, out *os.File
}

// close closes those that are open.
func (f *files) close() {
	for _, file := range []*os.File{f.initramfs, f.console, f.in, f.out} {
		if file != nil {
			file.Close()
		}
	}
	*f = files{}
}

func (g *guest) order() inside.Order {
	host, _ := os.Hostname()
	o := inside.Order{Args: g.command.Args, Dir: g.command.Dir, Env: g.command.Env, Host: host, MutesOutput: g.command.MutesOutput,
		Release: g.machine.Kernel.Release, Writable: g.machine.Writable, NICs: named(g.machine.NIC)}
	if nic, emulated := modelOf(g.machine.NIC); emulated {
		o.Load = append(o.Load, nic.driver)
	}
	return o
}

func (g *guest) run(ctx context.Context, q *QEMU) (status int, err error) {
	modules, err := g.machine.Kernel.early()
	if err != nil {
		return 0, err
	}
	initramfs, err := memory("initramfs", func(f *os.File) error { return writeInitramfs(f, g.command.Program, modules, g.order()) })
	if err != nil {
		return 0, err
	}
	theirs := files{initramfs: initramfs}
	defer theirs.close()
	var ours files
	defer ours.close()
	if ours.console, theirs.console, err = os.Pipe(); err == nil {
		if theirs.in, ours.in, err = os.Pipe(); err == nil {
			ours.out, theirs.out, err = os.Pipe()
		}
	}
	if err != nil {
		return 0, err
	}
	var said strings.Builder
	p := exec.Command(q.Path, g.machine.args()...)
	p.Stdin, p.Stdout, p.Stderr = theirs.in, theirs.out, &said
	p.ExtraFiles = []*os.File{theirs.initramfs, theirs.console}
	p.SysProcAttr = &unix.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}
	child, err := host.LaunchApart(p)
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", q.Path, err)
	}
	theirs.close()
	signs, heard, read := make(chan sign), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		g.console.read(ours.console, g.command.Console)
	}()
	go func() {
		defer close(heard)
		listen(ours.out, g.command.Stderr, func(s sign) { signs <- s })
	}()
	status, err = g.follow(ctx, signs, heard, ours.in)
	_ = p.Process.Kill() // it may have ended
	go func() {          // what it still sends
		for range signs {
		}
	}()
	ended := child.Wait()
	<-read // its last words are the end of the console
	<-heard
	close(signs)
	var unstarted *exec.ExitError
	if errors.Is(err, errGone) && errors.As(ended, &unstarted) && unstarted.ExitCode() > 0 {
		return 0, fmt.Errorf("QEMU ended with %w: %s", ended, units.LastLine(said.String()))
	}
	if errors.Is(err, errGone) {
		return 0, fmt.Errorf("the guest ended%s; %s", g.phase(), g.lastWords())
	}
	return status, err
}

// errGone: QEMU has ended before the guest reported a status.
var errGone = errors.New("the guest is gone")

// follow waits for the command's end.
func (g *guest) follow(ctx context.Context, signs <-chan sign, gone <-chan struct{}, in io.Writer) (int, error) {
	silent := time.NewTimer(g.limit.silence)
	boot := time.NewTimer(g.limit.boot)
	asked := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case e := <-signs:
			silent.Reset(g.limit.silence)
			switch {
			case e.writing:
				silent.Stop()
			case e.Status != nil:
				return *e.Status, nil
			case e.Failed != "":
				return 0, fmt.Errorf("in the guest: %s", e.Failed)
			case e.Up != nil:
				g.up = true
				boot.Stop()
				g.command.Up(*e.Up)
			}
		case <-gone:
			return 0, errGone
		case <-boot.C:
			return 0, fmt.Errorf("the guest did not start within %v; %s", g.limit.boot, g.lastWords())
		case <-silent.C:
			if g.up {
				return 0, fmt.Errorf("the guest hangs: it reported nothing for %v; %s", g.limit.silence, g.lastWords())
			}
		case <-asked:
			if !g.up {
				return 0, context.Cause(ctx)
			}
			asked, late = nil, time.After(g.limit.end)
			_, _ = in.Write([]byte{inside.Interrupt})
		case <-late:
			return 0, fmt.Errorf("the command in the guest did not end within %v: %w", g.limit.end, context.Cause(ctx))
		}
	}
}

// phase is when it ended.
func (g *guest) phase() string {
	if g.up {
		return " before its command did"
	}
	return " while it booted"
}

// shownLines of the console are in an error.
const shownLines = 8

// lastWords are the end of the console, and what it hints at.
func (g *guest) lastWords() string {
	lines := g.console.end(shownLines)
	if len(lines) == 0 {
		return "its console is empty"
	}
	text := "its console last showed:\n  " + strings.Join(lines, "\n  ")
	if g.console.has("Out of memory") || g.console.has("out of memory") || g.console.has("not enough memory") {
		return fmt.Sprintf("%d MiB of memory are too little: raise vm.memory; %s", g.machine.MemoryMiB, text)
	}
	return text
}
