package threads

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
)

// TestPoll: while workers wait all else goes on, garbage collections as well, and a worker sees
// what it waits for.
func TestPoll(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(stop)
	workers := before + 1
	ended := make(chan error, workers)
	for range workers {
		Go(func() { ended <- readable(stop) })
	}
	time.Sleep(10 * time.Millisecond) // they wait by then: nothing of a thread says so
	if got := runtime.GOMAXPROCS(0); got != before+workers {
		t.Errorf("GOMAXPROCS is %d with %d workers, %d before", got, workers, before)
	}
	began := time.Now()
	for range 10 {
		runtime.GC()
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("ten garbage collections took %v", took)
	}
	if _, err := unix.Write(stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	for range workers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if !wait.Until(10*time.Second, time.Millisecond, func() bool { return runtime.GOMAXPROCS(0) == before }) {
		t.Fatalf("GOMAXPROCS is %d, %d before", runtime.GOMAXPROCS(0), before)
	}
}

func readable(fd int) error {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := Poll(fds, -1); n == 1 || err != nil && err != unix.EINTR {
			return err
		}
	}
}

func TestPollLimit(t *testing.T) {
	fds := []unix.PollFd{{Fd: -1}}
	n, err := Poll(fds, 1)
	for err == unix.EINTR { // the runtime stopped it
		n, err = Poll(fds, 1)
	}
	if n != 0 || err != nil {
		t.Errorf("%d ready, error %v, want none", n, err)
	}
}

func TestPollError(t *testing.T) {
	fds := make([]unix.PollFd, 1<<21) // more than a process may have open
	if _, err := Poll(fds, -1); err != unix.EINVAL {
		t.Errorf("error %v, want %v", err, unix.EINVAL)
	}
}

func TestSleep(t *testing.T) {
	const nap = 5 * time.Millisecond
	began := time.Now()
	for time.Since(began) < nap { // a signal cuts it short
		Sleep(nap)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%v took %v", nap, took)
	}
}
