package afxdp

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
)

// The memory that a socket shares with the kernel is chunks, each for a frame.
const (
	chunkBytes = 4096
	ringSize   = 2048 // entries of each ring, and chunks that frames are sent from
	// dataAt is where in a chunk a frame begins: behind what asks the kernel for its time.
	dataAt = 64
)

// MaxFrame is the longest frame that can be sent, octets.
const MaxFrame = chunkBytes - dataAt

// socket sends frames into one queue of a port.
type socket struct {
	name    string // of the port
	queue   int
	fd      int
	zero    bool   // the driver reads the frames where they are
	notZero error  // why it does not
	times   *times // of frames that the NIC sent; nil: noTimes says why
	noTimes string

	memory               []byte
	tx, completion, fill *ring
	free                 []uint64  // addresses of chunks that hold no frame under way
	holds                []content // of each chunk that frames are sent from
}

// content is what a chunk holds behind the head of its frame, which nobody else writes.
type content struct {
	at   *byte
	head int
}

// openSocket binds a socket to a queue of a port: with zero copy where the driver has it.
func openSocket(port netdev.Port, queue int) (s *socket, err error) {
	times, noTimes := openTimes(port)
	bindFree := func(port netdev.Port, queue int, mode uint16) (*socket, error) {
		return bindFree(port, queue, mode, times)
	}
	err = port.NS.Do(func() error {
		s, err = bindFree(port, queue, unix.XDP_ZEROCOPY)
		if err == nil {
			return nil
		}
		without := err
		if s, err = bindFree(port, queue, unix.XDP_COPY); err == nil {
			s.notZero = without
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open an AF_XDP socket for queue %d of %s: %w", queue, port.Name, advise(err))
	}
	s.noTimes = noTimes
	return s, nil
}

// advise adds what to do about an error.
func advise(err error) error {
	switch {
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("%w: run as root, or with CAP_NET_RAW and CAP_IPC_LOCK", err)
	case errors.Is(err, unix.EAFNOSUPPORT):
		return fmt.Errorf("%w: the kernel is without CONFIG_XDP_SOCKETS; take engine=af_packet", err)
	case errors.Is(err, unix.EINVAL):
		return fmt.Errorf("%w: is there such a queue? There have to be as many (`queues`) as CPUs that send (`cpu.generator`)", err)
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("%w: another program has a socket at this queue", err)
	}
	return err
}

// freeLimit is how long the kernel may take to free a queue whose socket was closed: it does
// so behind the caller's back.
const freeLimit = time.Second

// bindFree is bind to a queue that may have been in use until now.
func bindFree(port netdev.Port, queue int, mode uint16, t *times) (s *socket, err error) {
	for end := time.Now().Add(freeLimit); ; time.Sleep(10 * time.Millisecond) {
		s, err = bind(port, queue, mode, t)
		if !errors.Is(err, unix.EBUSY) || time.Now().After(end) {
			return s, err
		}
	}
}

// bind opens a socket in the network namespace of the calling thread.
func bind(port netdev.Port, queue int, mode uint16, t *times) (*socket, error) {
	s := &socket{name: port.Name, queue: queue, zero: mode == unix.XDP_ZEROCOPY, times: t}
	var err error
	if s.fd, err = unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return nil, err
	}
	err = s.setUp()
	if err == nil {
		err = unix.Bind(s.fd, &unix.SockaddrXDP{Flags: mode | unix.XDP_USE_NEED_WAKEUP, Ifindex: uint32(port.Index), QueueID: uint32(queue)})
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// setUp gives the kernel the memory and maps the rings. What is received on a queue with
// zero copy comes into this memory, too, for the XDP program at the port: half of the
// chunks are for that.
func (s *socket) setUp() (err error) {
	chunks := ringSize
	if s.zero {
		chunks += ringSize
	}
	if s.memory, err = unix.Mmap(-1, 0, chunks*chunkBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("reserve %d octets: %w", chunks*chunkBytes, err)
	}
	reg := unix.XDPUmemReg{Addr: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s.memory)))), Len: uint64(len(s.memory)), Size: chunkBytes}
	if s.times != nil {
		reg.Flags, reg.Tx_metadata_len = unix.XDP_UMEM_TX_METADATA_LEN, metadataBytes
	}
	if err := setsockopt(s.fd, unix.XDP_UMEM_REG, unsafe.Pointer(&reg), unsafe.Sizeof(reg)); err != nil {
		return fmt.Errorf("give the kernel %d octets: %w", len(s.memory), err)
	}
	for _, option := range []int{unix.XDP_UMEM_FILL_RING, unix.XDP_UMEM_COMPLETION_RING, unix.XDP_TX_RING} {
		if err := unix.SetsockoptInt(s.fd, unix.SOL_XDP, option, ringSize); err != nil {
			return fmt.Errorf("make a ring: %w", err)
		}
	}
	if err := s.mapRings(); err != nil {
		return err
	}
	s.share()
	return nil
}

func (s *socket) mapRings() (err error) {
	var offsets unix.XDPMmapOffsets
	length := uint32(unsafe.Sizeof(offsets))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(s.fd), unix.SOL_XDP, unix.XDP_MMAP_OFFSETS,
		uintptr(unsafe.Pointer(&offsets)), uintptr(unsafe.Pointer(&length)), 0)
	if errno != 0 {
		return fmt.Errorf("ask how rings are laid out: %w", errno)
	}
	for _, r := range []struct {
		to      **ring
		at      int64
		offsets unix.XDPRingOffset
		entry   uintptr
	}{
		{&s.tx, unix.XDP_PGOFF_TX_RING, offsets.Tx, unsafe.Sizeof(unix.XDPDesc{})},
		{&s.completion, unix.XDP_UMEM_PGOFF_COMPLETION_RING, offsets.Cr, 8},
		{&s.fill, unix.XDP_UMEM_PGOFF_FILL_RING, offsets.Fr, 8},
	} {
		if *r.to, err = mapRing(s.fd, r.at, r.offsets, ringSize, uint32(r.entry)); err != nil {
			return err
		}
	}
	return nil
}

// share says which chunk is for what: the first ones for frames that are sent, those behind
// them for frames that are received.
func (s *socket) share() {
	s.holds = make([]content, ringSize)
	for i := range uint64(ringSize) {
		s.free = append(s.free, i*chunkBytes)
	}
	if !s.zero {
		return
	}
	for i := range uint32(ringSize) {
		*s.fill.address(i) = uint64(ringSize+i) * chunkBytes
	}
	s.fill.submit(ringSize)
}

func setsockopt(fd, option int, value unsafe.Pointer, length uintptr) error {
	_, _, errno := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_XDP, uintptr(option), uintptr(value), length, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// Close frees the socket and its memory.
func (s *socket) Close() error {
	err := errors.Join(s.tx.close(), s.completion.close(), s.fill.close(), unix.Close(s.fd))
	if s.memory != nil {
		err = errors.Join(err, unix.Munmap(s.memory))
	}
	return err
}
