package tun

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/threads"
)

// limit is how much may wait for the kernel's threads at each queue of a device (its send
// buffer).
type limit struct{ changing sync.Mutex }

const (
	// waitingMax is in octets of memory, each packet with its structures: some 500 packets,
	// which are still in the CPU's caches when the thread sends them on.
	waitingMax = 1280 << 10
	// waitingNone has poll(2) say that there is room when nothing waits: less than half of it.
	// The kernel counts 1 of an empty queue, and may count 1 more as it says so.
	waitingNone = 8
	// waitMost is how long a wait for the thread goes on, ms, before the worker tries again.
	waitMost = 10
)

func (*limit) set(fd, octets int) error {
	if err := unix.IoctlSetPointerInt(fd, unix.TUNSETSNDBUF, octets); err != nil {
		return fmt.Errorf("limit what waits: %w", err)
	}
	return nil
}

// awaitRoom waits until the kernel's thread has taken half of what may wait.
func (q *queue) awaitRoom() {
	_, _ = threads.Poll([]unix.PollFd{{Fd: int32(q.fd), Events: unix.POLLOUT}}, waitMost)
}

// drain waits until the kernel's thread has taken all of a queue; false: it has not yet.
// Meanwhile other workers wait in the same way when they write.
func (q *queue) drain() bool {
	q.limit.changing.Lock()
	defer q.limit.changing.Unlock()
	if q.limit.set(q.fd, waitingNone) != nil {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(q.fd), Events: unix.POLLOUT}}
	n, _ := threads.Poll(fds, waitMost)
	return q.limit.set(q.fd, waitingMax) == nil && n == 1 && fds[0].Revents == unix.POLLOUT
}
