package afpacket

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
	fd       int
	messages [Batch]message
	vectors  [Batch][1 + PiecesMax]unix.Iovec
}

// OpenRunSender opens the interface in the network namespace of the calling thread; it
// stays there. It needs root, or CAP_NET_RAW in the namespace.
func OpenRunSender(name string) (*RunSender, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return nil, noInterface(name, err)
	}
	s := &RunSender{}
	if s.fd, err = openSilent(); err != nil {
		return nil, err
	}
	if err := s.setUp(ifc.Index); err != nil {
		return nil, errors.Join(fmt.Errorf("afpacket: set up %s for sending: %w", name, err), s.Close())
	}
	for i := range s.messages {
		s.messages[i].header.Iov = &s.vectors[i][0]
	}
	return s, nil
}

func (s *RunSender) setUp(index int) error {
	if err := unix.SetsockoptInt(s.fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1); err != nil {
		return fmt.Errorf("frames that are to be cut: %w", err)
	}
	return bindSilent(s.fd, index)
}

// Send sends up to Batch runs in their order, with one system call. It returns how many
// the kernel took, and when it took none, why: as Sender's, and unix.EINVAL when it cannot
// cut the first one, as before Linux 6.2.
func (s *RunSender) Send(runs []Run) (int, error) {
	runs = runs[:min(len(runs), Batch)]
	if len(runs) == 0 {
		return 0, nil
	}
	for i := range runs {
		s.put(i, &runs[i])
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&s.messages[0])),
		uintptr(len(runs)), unix.MSG_DONTWAIT, 0, 0)
	runtime.KeepAlive(runs)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func (s *RunSender) put(i int, r *Run) {
	v := &s.vectors[i]
	v[0].Base = &r.Offload[0]
	v[0].SetLen(OffloadBytes)
	n := 1
	for _, p := range r.Pieces[:min(len(r.Pieces), PiecesMax)] {
		v[n].Base = unsafe.SliceData(p)
		v[n].SetLen(len(p))
		n++
	}
	s.messages[i].header.SetIovlen(n)
}

// Close frees the socket.
func (s *RunSender) Close() error { return unix.Close(s.fd) }
