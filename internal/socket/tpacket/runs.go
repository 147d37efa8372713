package tpacket

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Run is a frame, or several that the kernel cuts out of one long frame.
type Run struct {
	// Offload is struct virtio_net_hdr: how to cut it. Zeros: it is one frame.
	Offload [OffloadBytes]byte
	// Pieces are the frame, from the Ethernet header on, PiecesMax at most. They are not
	// copied before Send.
	Pieces [][]byte
}

// PiecesMax is the most pieces that a run has.
const PiecesMax = 128

// RunSender sends runs into an interface, through the queueing discipline, and receives
// nothing. It belongs to one goroutine at a time; Send allocates nothing.
type RunSender struct {
	whole, cut int // sockets: of single frames, and of those to be cut, which cost more
	messages   [Batch]message
	vectors    [Batch][1 + PiecesMax]unix.Iovec
}

// OpenRunSender opens the interface in the network namespace of the calling thread; it
// stays there. It needs root, or CAP_NET_RAW in the namespace.
func OpenRunSender(name string) (*RunSender, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return nil, noInterface(name, err)
	}
	s := &RunSender{whole: -1, cut: -1}
	if err := s.open(ifc.Index); err != nil {
		return nil, errors.Join(fmt.Errorf("afpacket: set up %s for sending: %w", name, err), s.Close())
	}
	for i := range s.messages {
		s.messages[i].header.Iov = &s.vectors[i][0]
	}
	return s, nil
}

func (s *RunSender) open(index int) (err error) {
	for _, fd := range []*int{&s.whole, &s.cut} {
		if *fd, err = openSilent(); err != nil {
			return err
		}
		if err := bindSilent(*fd, index); err != nil {
			return err
		}
	}
	if err := unix.SetsockoptInt(s.cut, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1); err != nil {
		return fmt.Errorf("frames that are to be cut: %w", err)
	}
	return nil
}

// Send sends runs in their order, the first Batch of them or as far as they are all to be cut
// or all not, with one system call. It returns how many the kernel took, and when it took
// none, why: as Sender's, and unix.EINVAL when it cannot cut the first one, as before Linux 6.2.
func (s *RunSender) Send(runs []Run) (int, error) {
	if len(runs) == 0 {
		return 0, nil
	}
	fd, cut := s.whole, runs[0].IsCut()
	if cut {
		fd = s.cut
	}
	n := 0
	for ; n < min(len(runs), Batch) && runs[n].IsCut() == cut; n++ {
		s.put(n, &runs[n], cut)
	}
	sent, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&s.messages[0])),
		uintptr(n), unix.MSG_DONTWAIT, 0, 0)
	runtime.KeepAlive(runs)
	if errno != 0 {
		return 0, errno
	}
	return int(sent), nil
}

// IsCut reports whether the kernel has to cut it.
func (r *Run) IsCut() bool { return r.Offload != [OffloadBytes]byte{} }

// Octets is how long it is.
func (r *Run) Octets() (n int) {
	for _, p := range r.Pieces {
		n += len(p)
	}
	return n
}

func (s *RunSender) put(i int, r *Run, cut bool) {
	v, n := &s.vectors[i], 0
	if cut {
		v[0].Base = &r.Offload[0]
		v[0].SetLen(OffloadBytes)
		n = 1
	}
	for _, p := range r.Pieces[:min(len(r.Pieces), PiecesMax)] {
		v[n].Base = unsafe.SliceData(p)
		v[n].SetLen(len(p))
		n++
	}
	s.messages[i].header.SetIovlen(n)
}

// Close frees the sockets.
func (s *RunSender) Close() error {
	var errs []error
	for _, fd := range []int{s.whole, s.cut} {
		if fd >= 0 {
			errs = append(errs, unix.Close(fd))
		}
	}
	return errors.Join(errs...)
}
