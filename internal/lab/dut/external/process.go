package external

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
)

// process is a UPF's process on this machine, which its operator started: it is watched, and
// never ended.
type process struct {
	dut.Resident
	pid    int
	fd     int   // pidfd: readable once the process has ended; -1: blind says why there is none
	blind  error // its end is not noticed
	exited chan struct{}
	ending chan struct{} // closed by Stop
	done   sync.WaitGroup
	once   sync.Once
}

// look is how often the watch asks whether it shall end.
const look = 200 * time.Millisecond

// watch begins to watch a process.
func watch(pid int, r dut.Resident) (*process, error) { return watchBy(unix.PidfdOpen, pid, r) }

// watchBy does it with pidfd_open(2), of Linux 5.3, which a sandbox may refuse.
func watchBy(open func(pid, flags int) (int, error), pid int, r dut.Resident) (*process, error) {
	r.Processes = []int{pid}
	p := &process{Resident: r, pid: pid, exited: make(chan struct{}), ending: make(chan struct{})}
	var err error
	p.fd, err = open(pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		p.fd, p.blind = -1, err
		err = unix.Kill(pid, 0)
	}
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil, fmt.Errorf("external.pid: there is no process %d here", pid)
	case errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT):
		return nil, fmt.Errorf("external.pid: watch process %d: %w: is it the number of a thread? Give that of its process", pid, err)
	case p.blind != nil:
		return p, nil // whether a signal is allowed does not matter: it is there
	case err != nil:
		return nil, fmt.Errorf("external.pid: watch process %d: %w", pid, err)
	}
	p.done.Go(p.wait)
	return p, nil
}

// remarks say whether its end is not noticed.
func (p *process) remarks() []string {
	if p.blind == nil {
		return nil
	}
	return []string{fmt.Sprintf("If its process ends, that is not noticed: pidfd_open: %v.", p.blind)}
}

// wait waits until the process has ended, or the watch.
func (p *process) wait() {
	for {
		fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, int(look.Milliseconds())); n > 0 && err == nil {
			close(p.exited)
			return
		}
		select {
		case <-p.ending:
			return
		default:
		}
	}
}

// Exited is closed when the process has ended.
func (p *process) Exited() <-chan struct{} { return p.exited }

// Status names the process: how it ended only its parent knows.
func (p *process) Status() string {
	return fmt.Sprintf("process %d, which external.pid names, is gone", p.pid)
}

// Stop ends the watch.
func (p *process) Stop() (err error) {
	p.once.Do(func() {
		close(p.ending)
		p.done.Wait()
		if p.fd >= 0 {
			err = unix.Close(p.fd)
		}
		err = errors.Join(err, p.Resident.Stop())
	})
	return err
}
