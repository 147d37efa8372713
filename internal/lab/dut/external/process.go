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
	fd     int // pidfd: readable once the process has ended
	exited chan struct{}
	ending chan struct{} // closed by Stop
	done   sync.WaitGroup
	once   sync.Once
}

// look is how often the watch asks whether it shall end.
const look = 200 * time.Millisecond

// watch begins to watch a process.
func watch(pid int, r dut.Resident) (*process, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil, fmt.Errorf("external.pid: there is no process %d here", pid)
	}
	if err != nil {
		return nil, fmt.Errorf("external.pid: watch process %d: %w: is it the number of a thread? Give that of its process", pid, err)
	}
	r.Processes = []int{pid}
	p := &process{Resident: r, pid: pid, fd: fd, exited: make(chan struct{}), ending: make(chan struct{})}
	p.done.Go(p.wait)
	return p, nil
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
		err = errors.Join(unix.Close(p.fd), p.Resident.Stop())
	})
	return err
}
