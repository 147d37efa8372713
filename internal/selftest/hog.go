package selftest

import (
	"runtime"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/host"
	"golang.org/x/sys/unix"
)

// hog takes half of a CPU, in turns, from whoever else is on it.
type hog struct {
	stop    chan struct{}
	running sync.WaitGroup
	err     error
}

// turn is how long it runs and how long it pauses: longer than a ring's filling.
const turn = 5 * time.Millisecond

func startHog(cpu int) *hog {
	h := &hog{stop: make(chan struct{})}
	started := make(chan struct{})
	h.running.Go(func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		if h.err = goBefore(cpu); h.err == nil {
			close(started)
			h.take()
			return
		}
		close(started)
	})
	<-started
	return h
}

// goBefore pins the calling thread and lets it go before the device's threads:
// by real-time priority, or, where there is none to have, the highest of normal
// threads.
func goBefore(cpu int) error {
	if err := host.Pin(0, cpu); err != nil {
		return err
	}
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 10}
	if unix.SchedSetAttr(0, attr, 0) == nil {
		return nil
	}
	return unix.Setpriority(unix.PRIO_PROCESS, 0, -20)
}

func (h *hog) take() {
	for {
		select {
		case <-h.stop:
			return
		case <-time.After(turn):
		}
		for end := time.Now().Add(turn); time.Now().Before(end); {
		}
	}
}

func (h *hog) end() error {
	close(h.stop)
	h.running.Wait()
	return h.err
}
