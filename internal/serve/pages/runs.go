package pages

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Runner starts runs of upflab as programs of their own, one at a time.
type Runner struct {
	Program   string   // upflab
	Dir       string   // the folder of results
	Scenarios []string // those that may be started
	DUTs      []string // those that may be measured
	// Plan finds what else is wrong with a scenario for these UPFs before a run begins: what
	// `upflab run` would refuse. Else it says what the run would do, as --dry-run does. nil: nothing
	// more is checked, or known.
	Plan func(s *scenario.Scenario, duts []string) (Outline, error)

	mu     sync.Mutex
	folder string // of the run under way; "": none
	cmd    *exec.Cmd
	asked  bool // it was asked to end: a second signal would end it at once
	ended  chan struct{}
}

// Outline is what a run would do.
type Outline struct {
	Visits, Trials int    // of UPFs in all, and of one visit
	Until          string // how long repeats go on; "": their number is settled
	Takes          time.Duration
	Open           bool // what the run decides is in it as usual
	Longer         bool // disturbed trials last longer
}

// owns reports whether the run in a folder was started here and is under way.
func (x *Runner) owns(folder string) bool {
	if x == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.folder != "" && filepath.Clean(folder) == filepath.Clean(x.folder)
}

// Start starts a run and gives its folder, below Dir.
func (x *Runner) Start(q request) (string, error) {
	args, _, err := x.arguments(q)
	if err != nil {
		return "", err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.folder != "" {
		return "", fmt.Errorf("a run is under way, in %s: two at once disturb each other; stop it first", x.folder)
	}
	lock, err := x.lock()
	if err != nil {
		return "", err
	}
	defer lock.Close()
	folder, err := store.NewDir(x.Dir, time.Now(), q.Scenario)
	if err != nil {
		return "", err
	}
	log, err := safefile.Create(filepath.Join(folder, "run.log"), 0o644)
	if err != nil {
		return "", fmt.Errorf("start a run: %w", err)
	}
	defer log.Close()
	if err := store.Last(folder); err != nil { // as a run without --out does, which does not fail by it, either
		fmt.Fprintf(log, "warning: %v\n", err)
	}
	cmd := exec.Command(x.Program, append(args, "--out", folder)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{lock}
	// A terminal's ctrl-C is for the server. A server that is killed takes its run with it, in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	run, err := host.LaunchApart(cmd)
	if err != nil {
		return "", fmt.Errorf("start a run: %w", err)
	}
	x.folder, x.cmd, x.asked, x.ended = folder, cmd, false, make(chan struct{})
	go x.follow(run, x.ended)
	return filepath.Rel(x.Dir, folder)
}

// lockName is the lock of a folder of results.
const lockName = ".run.lock"

// lock takes the lock of the folder of results, which the run holds as long as it goes: a
// server that was killed and started again, or another one, finds it taken.
func (x *Runner) lock() (*os.File, error) {
	f, err := safefile.Lock(filepath.Join(x.Dir, lockName))
	switch {
	case errors.Is(err, safefile.ErrLocked):
		return nil, fmt.Errorf("a run that another server started is under way in %s, or ends now: two at once "+
			"disturb each other; wait for its end", x.Dir)
	case err != nil:
		return nil, fmt.Errorf("start a run: %w", err)
	}
	return f, nil
}

// follow waits for the end of a run. How it ended is in its folder.
func (x *Runner) follow(run *host.Child, ended chan<- struct{}) {
	<-run.Exited()
	x.mu.Lock()
	x.folder, x.cmd = "", nil
	x.mu.Unlock()
	close(ended)
}

// Stop ends the run under way in order; it keeps what it measured. Without one it does
// nothing.
func (x *Runner) Stop() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cmd != nil && !x.asked {
		x.asked = true
		x.cmd.Process.Signal(syscall.SIGINT) // it may have ended by itself
	}
}

// Close stops the run under way and waits until it has ended, a minute at most.
func (x *Runner) Close() {
	if x == nil {
		return
	}
	x.mu.Lock()
	ended := x.ended
	x.mu.Unlock()
	x.Stop()
	if ended != nil {
		select {
		case <-ended:
		case <-time.After(time.Minute):
		}
	}
}
