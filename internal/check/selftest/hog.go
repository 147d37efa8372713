package selftest

import (
	"runtime"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
)

// hog takes a CPU, in turns, from whoever else is on it.
type hog struct {
	turns
	stop    chan struct{}
	running sync.WaitGroup
	err     error
}

// turns are how long a CPU is taken and how long it is left.
type turns struct{ run, pause time.Duration }

// half of the CPU's time is taken by turns that are longer than a ring's filling;
// rarely is a twentieth.
var (
	half   = turns{5 * time.Millisecond, 5 * time.Millisecond}
	rarely = turns{5 * time.Millisecond, 95 * time.Millisecond}
)

func startHog(cpu int, t turns) *hog {
	h := &hog{turns: t, stop: make(chan struct{})}
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

// goBefore pins the calling thread and lets it go before the device's threads.
func goBefore(cpu int) error {
	if err := threads.Pin(0, cpu); err != nil {
		return err
	}
	return threads.Raise(0, 10)
}

func (h *hog) take() {
	for {
		select {
		case <-h.stop:
			return
		case <-time.After(h.pause):
		}
		for end := time.Now().Add(h.run); time.Now().Before(end); {
		}
	}
}

func (h *hog) end() error {
	close(h.stop)
	h.running.Wait()
	return h.err
}
