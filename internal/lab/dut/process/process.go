// Package process runs a UPF's program inside the testbed.
package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Spec says what to run.
type Spec struct {
	Site site.Site
	Args []string // the program's path first
	Env  []string // added to a minimal environment
	CPUs []int
	Log  string // file for standard output and error
	Dir  string // working directory; "" for the current one
	// PIDNamespace gives the program a PID namespace of its own, for one that does
	// something to every process it can see. It is process 1 there: it gets only the
	// signals that it handles, and all it starts ends with it.
	PIDNamespace bool
	// Mounts are made for the program alone, after /sys and /sys/fs/bpf.
	Mounts []Mount

	// ByHand are the lines of a shell that do, after its start, what upflab does over the
	// program's own interface: for a script that starts it without upflab. The script's
	// function `inside` runs a command among the program's mounts, and `neighbours` sets
	// the permanent neighbours again.
	ByHand []string

	// Image is what the program is run from; nil: the files of this machine. Then
	// Args has its path in the image, and PIDNamespace is true without asking.
	Image *dut.Image

	join *Process // whose PID namespace it enters
	once bool     // it may have ended before anybody sees it run
}

// Mount is a file system, as for HugePages {Type: "hugetlbfs", Target: "/dev/hugepages"},
// or a folder that is shown elsewhere {Source, Target}. None may hide /run/upflab, where
// upflab, too, works from inside the program's mounts.
type Mount struct{ Type, Source, Target, Options string }

// Process is a running program. It is killed when upflab dies.
type Process struct {
	cmd       *exec.Cmd
	log       *programLog
	child     *host.Child
	exited    chan struct{} // closed when the child has ended and its log is cut
	site      site.Site
	container *container // nil: none
}

// Start runs the program in the UPF's namespace, with /sys showing the devices
// there and a BPF file system of its own, or in a container that has both.
func Start(s Spec) (*Process, error) {
	if r, is := s.Site.(Recorder); is {
		return nil, r.Record([]Part{{Name: filepath.Base(s.Args[0]), Spec: s}}, false)
	}
	if s.Image != nil {
		return startContained(s)
	}
	return launch(s)
}

func launch(s Spec) (*Process, error) {
	log, err := safefile.Create(s.Log, 0o644, os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("make the log of %s: %w", s.Args[0], err)
	}
	defer log.Close()
	p := &Process{log: &programLog{path: s.Log}, exited: make(chan struct{}), site: s.Site}
	if p.cmd, err = s.command(); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Args[0], err)
	}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = log, log, s.Dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/root", "LANG=C"}, s.Env...)
	// A session of its own: the scheduler's automatic groups would else make the
	// UPF share one group's weight with our generator.
	p.cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL, Setsid: true}
	switch {
	case s.PIDNamespace:
		p.cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWPID
	case s.join != nil:
		// Go takes a parent that the child cannot see for dead. Process 1, which
		// dies with upflab, takes all of its namespace with it.
		p.cmd.SysProcAttr.Pdeathsig = 0
	}
	start := s.Site.Start
	if s.Image != nil { // a container joins the UPF's namespace by itself
		start = s.Site.Claim().Launch
	}
	if p.child, err = start(p.cmd, s.prepare); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Args[0], err)
	}
	go p.follow()
	return p, nil
}

// follow keeps the log short until the program has ended.
func (p *Process) follow() {
	defer close(p.exited)
	defer p.log.bound()()
	<-p.child.Exited()
}

// prepare readies the calling thread for the program, which inherits what it has.
func (s *Spec) prepare() error {
	if err := netdev.PrivateMounts(); err != nil {
		return err
	}
	if err := s.mount(); err != nil {
		return err
	}
	if s.join != nil {
		if err := s.join.enterPIDs(); err != nil {
			return err
		}
	}
	if len(s.CPUs) == 0 {
		return nil
	}
	return threads.Pin(0, s.CPUs...)
}

// PIDs are the program's, without whatever started it: first the program, then what it has
// started in turn and still runs.
func (p *Process) PIDs() []int {
	if p.container != nil {
		pids, _ := host.Descendants(p.container.pid) // process 1 of its PID namespace
		return pids
	}
	return p.site.Claim().Processes(p.PID())
}

// PID of what upflab started: the program, or the podman that runs it.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Exited is closed when the program has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Status tells how it ended, once it has.
func (p *Process) Status() string { return p.cmd.ProcessState.String() }

// colour is a terminal's escape sequence, which some programs write to files too.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*(m|$)")

// Logs is the file of its output.
func (p *Process) Logs() []string { return []string{p.log.path} }

// plain leaves the colours of a log out.
func plain(text string) string { return colour.ReplaceAllString(text, "") }

// LogTail is the end of the log, at most 2000 bytes.
func (p *Process) LogTail() string { return p.log.tail() }

// grace is how long a program has to end after SIGTERM.
const grace = 3 * time.Second

// killed is how long the kernel may take to end a program that was killed: it first takes
// down devices and BPF programs, and waits for others who do the same.
const killed = 30 * time.Second

// Stop ends the program by SIGTERM, then SIGKILL, and all that it has started.
func (p *Process) Stop() error {
	err := p.stop()
	if p.container != nil {
		err = errors.Join(err, p.container.remove())
	}
	return err
}

func (p *Process) stop() error {
	for _, end := range []struct {
		signal unix.Signal
		within time.Duration
	}{{unix.SIGTERM, grace}, {unix.SIGKILL, killed}} {
		p.cmd.Process.Signal(end.signal)
		select {
		case <-p.exited:
			return p.child.Left()
		case <-time.After(end.within):
		}
	}
	return fmt.Errorf("process %d does not end, even after SIGKILL", p.PID())
}
