package tpacket

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Batch is the most frames that one call of Send hands to the kernel at once.
const Batch = 64

// message is struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
	_      [4]byte
}

// outbox is the arguments of sendmmsg, kept so that sending allocates nothing.
type outbox struct {
	fd       int
	messages [Batch]message
	vectors  [Batch]unix.Iovec
}

func (o *outbox) init(fd int) {
	o.fd = fd
	for i := range o.messages {
		o.messages[i].header.Iov = &o.vectors[i]
		o.messages[i].header.SetIovlen(1)
	}
}

// Send sends frames, each from the Ethernet header on, in their order. It
// returns how many the kernel took; when that is not all of them, err is why it
// did not take the next one: unix.ENOBUFS when the driver dropped it, its
// receiver's ring being full, which the interface counts as dropped;
// unix.EAGAIN when too many frames are under way; unix.EMSGSIZE when it is
// longer than the MTU.
//
// A frame that is refused behind others of the same call is tried once more, for
// the kernel does not report why. The call does not block and does not give
// the thread up.
func (p *Port) Send(frames [][]byte) (n int, err error) {
	for n < len(frames) {
		part := frames[n:min(n+Batch, len(frames))]
		taken, err := p.out.send(part)
		n += taken
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (o *outbox) send(frames [][]byte) (int, error) {
	for i, f := range frames {
		o.vectors[i].Base = unsafe.SliceData(f)
		o.vectors[i].SetLen(len(f))
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(o.fd), uintptr(unsafe.Pointer(&o.messages[0])),
		uintptr(len(frames)), unix.MSG_DONTWAIT, 0, 0)
	runtime.KeepAlive(frames)
	if errno != 0 {
		return 0, errno
	}
	if int(n) == len(frames) {
		return len(frames), nil
	}
	// sendmmsg keeps quiet about why it stopped: ask again.
	again, err := o.send(frames[n:])
	return int(n) + again, err
}
