package host

import (
	"errors"
	"os/exec"
	"runtime"
)

// Child is a program that this process has launched. It was started by a thread of its own, which
// lives as long as the program does: the program inherits what was done to that thread, and the kernel
// sends it its Pdeathsig when the thread ends, not only when this process does.
type Child struct {
	exited chan struct{}
	// What follows is read after exited.
	status error // how the program ended
	left   error // why something that it started is still there
}

// Launch starts a program that belongs to the run: it is written down, so that `upflab clean` ends it
// after a kill, and all that it starts in turn ends with it. prepare changes the thread that the program
// inherits from, such as its namespaces and CPUs; nil changes nothing.
func (c *Claim) Launch(cmd *exec.Cmd, prepare func() error) (*Child, error) {
	if prepare == nil {
		prepare = func() error { return nil }
	}
	return launch(func() error { return c.startProcess(cmd, prepare) }, func(p *Child) {
		left := c.awaitEnd(cmd.Process.Pid)
		p.status = cmd.Wait()
		p.left = errors.Join(left, c.DropProcess(cmd.Process.Pid))
	})
}

// LaunchApart starts a program that belongs to no run of this process: upflab again, for another command,
// which writes down by itself what it makes and needs the time to remove it, or an emulator, which makes nothing. So
// cmd has a Pdeathsig: one that asks it to end, where it makes anything.
func LaunchApart(cmd *exec.Cmd) (*Child, error) {
	return launch(cmd.Start, func(p *Child) { p.status = cmd.Wait() })
}

func launch(start func() error, wait func(*Child)) (*Child, error) {
	p := &Child{exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread was changed, and ends here
		defer close(p.exited)
		err := start()
		started <- err
		if err == nil {
			_ = elsewhere(func() error { wait(p); return nil }) // this thread may not see the run's list
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Exited is closed when the program has ended, and what it started and left.
func (p *Child) Exited() <-chan struct{} { return p.exited }

// Wait waits for the end of the program and returns what exec.Cmd.Wait did: an *exec.ExitError for
// another status than 0.
func (p *Child) Wait() error {
	<-p.exited
	return p.status
}

// Left waits likewise. An error says why something of what the program started goes on.
func (p *Child) Left() error {
	<-p.exited
	return p.left
}
