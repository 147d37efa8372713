package afxdp

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/xsk"
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
	*xsk.Socket
	port    netdev.Port
	queue   int
	zero    bool   // the driver reads the frames where they are
	notZero error  // why it does not
	times   *times // of frames that the NIC sent; nil: noTimes says why
	noTimes string

	free  []uint64  // addresses of chunks that hold no frame under way
	holds []content // of each chunk that frames are sent from
}

// content is what a chunk holds behind the head of its frame, which nobody else writes.
type content struct {
	at   *byte
	head int
}

// openSocket binds a socket to a queue of a port: with zero copy where the driver has it.
func openSocket(port netdev.Port, queue int) (s *socket, err error) {
	times, noTimes := openTimes(port)
	err = port.NS.Do(func() error {
		s, err = bind(port, queue, unix.XDP_ZEROCOPY, times)
		if err == nil {
			return nil
		}
		without := err
		if s, err = bind(port, queue, unix.XDP_COPY, times); err == nil {
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

// bind opens a socket in the network namespace of the calling thread. What is received on a
// queue with zero copy comes into its memory, too, for the XDP program at the port: half of the
// chunks are for that.
func bind(port netdev.Port, queue int, mode uint16, t *times) (*socket, error) {
	s := &socket{port: port, queue: queue, zero: mode == unix.XDP_ZEROCOPY, times: t}
	c := xsk.Config{
		Interface: port.Index, Queue: queue, Flags: mode | unix.XDP_USE_NEED_WAKEUP,
		Chunks: ringSize, ChunkBytes: chunkBytes, Entries: ringSize,
	}
	if s.zero {
		c.Chunks += ringSize
	}
	if t != nil {
		c.Metadata = metadataBytes
	}
	var err error
	if s.Socket, err = xsk.Open(c); err != nil {
		return nil, err
	}
	s.share()
	return s, nil
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
		*s.Fill.Address(i) = uint64(ringSize+i) * chunkBytes
	}
	s.Fill.Submit(ringSize)
}
