package xdp

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/threads"
)

// live is a program that the kernel calls without end with live frames, on one
// CPU, until stop.
type live struct {
	tid      int
	stopping atomic.Bool
	again    func()
	ended    chan error
}

// startLive runs the program with frames that hold page. batch is how many calls
// are flushed together. The kernel makes 2^32 calls in a run, nine minutes of them;
// again is called before each further run.
func startLive(p *ebpf.Program, page []byte, batch uint16, port netdev.Port, cpu int, again func()) *live {
	l := &live{ended: make(chan error, 1), again: again}
	thread := make(chan int)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is pinned and ends here
		thread <- unix.Gettid()
		l.ended <- l.loop(p, page, batch, port, cpu)
	}()
	l.tid = <-thread
	return l
}

func (l *live) loop(p *ebpf.Program, page []byte, batch uint16, port netdev.Port, cpu int) error {
	if err := port.NS.Enter(); err != nil {
		return err
	}
	if err := errors.Join(threads.Pin(0, cpu), host.NameThread(host.TrafficThread)); err != nil {
		return err
	}
	unix.Setpriority(unix.PRIO_PROCESS, 0, -20) // better, not needed
	for !l.stopping.Load() {
		// A call that a stray signal ended is made again: what was sent is
		// counted by the program, not by the call.
		if err := testRun(p, page, batch); !errors.Is(err, unix.EINTR) {
			return err
		}
		l.again()
	}
	return nil
}

// stop ends it. A signal that comes between two calls is lost, so it is
// repeated.
func (l *live) stop() error {
	l.stopping.Store(true)
	for {
		unix.Tgkill(unix.Getpid(), l.tid, unix.SIGURG)
		select {
		case err := <-l.ended:
			return err
		case <-time.After(time.Millisecond):
		}
	}
}

// testRun is BPF_PROG_TEST_RUN with live frames (Linux 5.18). It returns EINTR
// when a signal ends it; the library's own call would start again then.
func testRun(p *ebpf.Program, page []byte, batch uint16) error {
	attr := struct {
		fd, retval, sizeIn, sizeOut uint32
		dataIn, dataOut             uint64
		repeat, duration            uint32
		ctxSizeIn, ctxSizeOut       uint32
		ctxIn, ctxOut               uint64
		flags, cpu, batch, _        uint32
	}{
		fd: uint32(p.FD()), sizeIn: uint32(len(page)), dataIn: uint64(uintptr(unsafe.Pointer(&page[0]))),
		repeat: ^uint32(0), flags: unix.BPF_F_TEST_XDP_LIVE_FRAMES, batch: uint32(batch),
	}
	_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_TEST_RUN, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	runtime.KeepAlive(page)
	switch errno {
	case 0, unix.EINTR:
		return error(unix.EINTR)
	}
	return fmt.Errorf("run XDP live frames: %w (Linux 5.18 or later is needed)", errno)
}
