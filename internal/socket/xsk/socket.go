package xsk

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
)

// Config is what a socket sends by, and of what its memory is.
type Config struct {
	Interface int // its index, in the network namespace of the calling thread
	Queue     int // of the interface, from 0 on
	// Flags are those of bind: unix.XDP_COPY, or unix.XDP_ZEROCOPY, and unix.XDP_USE_NEED_WAKEUP.
	Flags uint16
	// Chunks is how many pieces the memory has, each for a frame; ChunkBytes is 2048 or 4096.
	Chunks, ChunkBytes int
	// Entries is how many each ring has, a power of two.
	Entries uint32
	// Metadata is how many octets in front of a frame are for the kernel (Linux 6.8); 0: none.
	Metadata uint32
}

// Socket is bound to a queue. Whoever has it says what each chunk is for.
type Socket struct {
	FD                   int
	Memory               []byte
	TX, Completion, Fill *Ring
}

// freeLimit is how long the kernel may take to free a queue whose socket was closed: it does
// so behind the caller's back.
const freeLimit = time.Second

// Open opens a socket. It needs root, or CAP_NET_RAW, and CAP_IPC_LOCK or a limit of locked
// memory (ulimit -l) that the chunks fit into. The error is unix.EBUSY when the queue has
// another socket, unix.EINVAL when there is no such queue.
func Open(c Config) (*Socket, error) {
	var s *Socket
	var err error
	wait.Until(freeLimit, 10*time.Millisecond, func() bool {
		s, err = open(c)
		return !errors.Is(err, unix.EBUSY)
	})
	return s, err
}

func open(c Config) (*Socket, error) {
	fd, err := unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	s := &Socket{FD: fd}
	if err = s.setUp(c); err == nil {
		err = unix.Bind(fd, &unix.SockaddrXDP{Flags: c.Flags, Ifindex: uint32(c.Interface), QueueID: uint32(c.Queue)})
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// setUp gives the kernel the memory and maps the rings.
func (s *Socket) setUp(c Config) (err error) {
	bytes := c.Chunks * c.ChunkBytes
	if s.Memory, err = unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("reserve %d octets: %w", bytes, err)
	}
	reg := unix.XDPUmemReg{Addr: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s.Memory)))), Len: uint64(bytes), Size: uint32(c.ChunkBytes)}
	if c.Metadata != 0 {
		reg.Flags, reg.Tx_metadata_len = unix.XDP_UMEM_TX_METADATA_LEN, c.Metadata
	}
	if err := setsockopt(s.FD, unix.XDP_UMEM_REG, unsafe.Pointer(&reg), unsafe.Sizeof(reg)); err != nil {
		return fmt.Errorf("give the kernel %d octets: %w", bytes, err)
	}
	for _, option := range []int{unix.XDP_UMEM_FILL_RING, unix.XDP_UMEM_COMPLETION_RING, unix.XDP_TX_RING} {
		if err := unix.SetsockoptInt(s.FD, unix.SOL_XDP, option, int(c.Entries)); err != nil {
			return fmt.Errorf("make a ring: %w", err)
		}
	}
	return s.mapRings(c.Entries)
}

func (s *Socket) mapRings(entries uint32) (err error) {
	var offsets unix.XDPMmapOffsets
	length := uint32(unsafe.Sizeof(offsets))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(s.FD), unix.SOL_XDP, unix.XDP_MMAP_OFFSETS,
		uintptr(unsafe.Pointer(&offsets)), uintptr(unsafe.Pointer(&length)), 0)
	if errno != 0 {
		return fmt.Errorf("ask how rings are laid out: %w", errno)
	}
	for _, r := range []struct {
		to      **Ring
		at      int64
		offsets unix.XDPRingOffset
		entry   uintptr
	}{
		{&s.TX, unix.XDP_PGOFF_TX_RING, offsets.Tx, unsafe.Sizeof(unix.XDPDesc{})},
		{&s.Completion, unix.XDP_UMEM_PGOFF_COMPLETION_RING, offsets.Cr, 8},
		{&s.Fill, unix.XDP_UMEM_PGOFF_FILL_RING, offsets.Fr, 8},
	} {
		if *r.to, err = mapRing(s.FD, r.at, r.offsets, entries, uint32(r.entry)); err != nil {
			return err
		}
	}
	return nil
}

func setsockopt(fd, option int, value unsafe.Pointer, length uintptr) error {
	_, _, errno := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_XDP, uintptr(option), uintptr(value), length, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// Call has the kernel send what was submitted: 0, or why it did not take all. It does not block.
func (s *Socket) Call() unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s.FD), 0, 0, unix.MSG_DONTWAIT, 0, 0)
	return errno
}

// Close frees the socket and its memory.
func (s *Socket) Close() error {
	err := errors.Join(s.TX.close(), s.Completion.close(), s.Fill.close(), unix.Close(s.FD))
	if s.Memory != nil {
		err = errors.Join(err, unix.Munmap(s.Memory))
	}
	return err
}
