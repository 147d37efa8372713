// Package threads runs workers that have a thread each, such as those of datapaths, and wait
// there for packets up to some 100 000 times a second.
//
// A wait by Go's runtime would cost more than the packet. After 20 us the runtime takes the
// place of the waiting goroutine away (its P, of which there are GOMAXPROCS) and wakes two
// threads for that, which have the CPU when the packet comes. So a worker keeps its place
// while it waits, and each brings one along.
package threads

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Go runs a worker in a thread that nothing else uses, with one place more as long as it runs.
func Go(work func()) {
	Once(func() {
		defer runtime.UnlockOSThread()
		work()
	})
}

// Once is Go for work that changes its thread: the thread ends with it.
func Once(work func()) {
	places(1)
	go func() {
		runtime.LockOSThread()
		defer places(-1)
		work()
	}()
}

// changing is the process's, as GOMAXPROCS is.
var changing sync.Mutex

func places(more int) {
	changing.Lock()
	defer changing.Unlock()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + more)
}

// Poll is poll(2), for a worker: it waits so many milliseconds at most, without a limit when
// they are negative. It ends with EINTR when the runtime stops the worker, as for a garbage
// collection: call it again.
func Poll(fds []unix.PollFd, milliseconds int) (ready int, err error) {
	var limit *unix.Timespec
	if milliseconds >= 0 {
		t := unix.NsecToTimespec(int64(milliseconds) * 1e6)
		limit = &t
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(fds))), uintptr(len(fds)),
		uintptr(unsafe.Pointer(limit)), 0, 0, 0)
	runtime.KeepAlive(fds)
	runtime.KeepAlive(limit)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// Sleep is nanosleep(2), for a worker. It ends early as Poll does.
func Sleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
