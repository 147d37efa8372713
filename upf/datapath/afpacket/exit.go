package afpacket

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/socket/xsk"
)

// exit is a worker's way out by an interface. Single frames leave by an AF_XDP socket, if the
// worker has one, in two thirds of the time. What the kernel cuts leaves by a packet socket, and so
// does all while captures are under way, which do not see what AF_XDP sends.
type exit struct {
	runs    *tpacket.RunSender
	frames  *xsk.Sender   // nil: none
	slow    error         // why there are none
	watched *atomic.Int32 // captures
}

// openExit opens the way out by an interface for the worker of a number.
func openExit(name string, worker int, watched *atomic.Int32) (x *exit, err error) {
	x = &exit{watched: watched}
	if x.runs, err = tpacket.OpenRunSender(name); err != nil {
		return nil, err
	}
	if x.slow = mayBypass(name); x.slow == nil {
		x.frames, x.slow = xsk.OpenSender(name, worker)
	}
	return x, nil
}

// send sends runs in order. refused is asked for each that the kernel does not take, which is not
// single; lost is the sum of what it answers, and of single ones.
func (x *exit) send(runs []tpacket.Run, refused func(i int, err error) uint64) (lost uint64) {
	for i := 0; i < len(runs); {
		n, dropped := x.single(runs[i:])
		lost += dropped
		if i += n; n > 0 {
			continue
		}
		lost += x.settle()
		n, err := x.runs.Send(runs[i:])
		if i += n; err == nil {
			continue
		}
		lost += refused(i, err)
		i++
	}
	return lost
}

// single sends the first runs, as far as they are frames that AF_XDP sends.
func (x *exit) single(runs []tpacket.Run) (n int, lost uint64) {
	if x.frames == nil || x.watched.Load() != 0 {
		return 0, 0
	}
	for n < len(runs) && !runs[n].IsCut() && x.frames.Fits(runs[n].Octets()) {
		if !x.frames.Put(runs[n].Pieces) {
			lost++
		}
		n++
	}
	if n > 0 {
		lost += x.frames.Flush()
	}
	return n, lost
}

// waiting reports whether frames wait until the driver has room.
func (x *exit) waiting() bool { return x.frames != nil && x.frames.Waiting() }

// settle sends what waits, so that nothing overtakes it, as long as that is not for ever.
func (x *exit) settle() (lost uint64) {
	for i := 0; x.waiting() && i < 10; i++ {
		_, _ = threads.Poll([]unix.PollFd{{Fd: int32(x.frames.FD()), Events: unix.POLLOUT}}, 1)
		lost += x.frames.Flush()
	}
	return lost
}

// retry sends what waits, as far as there is room.
func (x *exit) retry() (lost uint64) {
	if x.waiting() {
		lost = x.frames.Flush()
	}
	return lost
}

func (x *exit) close() error {
	if x == nil {
		return nil
	}
	err := x.runs.Close()
	if x.frames != nil {
		err = errors.Join(err, x.frames.Close())
	}
	return err
}
