package tpacket

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/internal/socket/threads"
)

// BlockConfig is what OpenBlocks opens. The interface is one of the network
// namespace of the calling thread.
type BlockConfig struct {
	Interface string
	// Blocks is how many blocks of BlockBytes the ring has, 2..8192;
	// DefaultBlocks when 0.
	Blocks int
	// Retire is after how long the kernel hands a block over that is not full, a
	// whole number of milliseconds of at least one; DefaultRetire when 0.
	Retire time.Duration
}

// BlockBytes is the size of a block. The longest frame that a kernel leaves uncut, 64 KiB and
// its headers, has room in it.
const BlockBytes = 128 << 10

// Defaults of a BlockConfig: a ring of 64 MiB. It holds some 40 000 frames of 1500
// octets, and 4 s of what comes so slowly that every block is handed over for its
// age: a reader may stay away for so long.
const (
	DefaultBlocks = 512
	DefaultRetire = 8 * time.Millisecond
	maxBlocks     = 8192
)

func (c BlockConfig) withDefaults() (BlockConfig, error) {
	if c.Blocks == 0 {
		c.Blocks = DefaultBlocks
	}
	if c.Retire == 0 {
		c.Retire = DefaultRetire
	}
	switch {
	case c.Interface == "":
		return c, fmt.Errorf("afpacket: no interface named: give one, as `ip link` shows it")
	case c.Blocks < 2 || c.Blocks > maxBlocks:
		return c, fmt.Errorf("afpacket: a ring of %d blocks: give 2..%d", c.Blocks, maxBlocks)
	case c.Retire < time.Millisecond || c.Retire%time.Millisecond != 0 || c.Retire > time.Second:
		return c, fmt.Errorf("afpacket: blocks are to be handed over after %v: give whole milliseconds up to 1s", c.Retire)
	}
	return c, nil
}

// Blocks receives from an interface by whole blocks (TPACKET_V3): few system calls
// and wake-ups at high rates, and with each frame the time at which the kernel
// received it. A block comes when it is full or Retire old, so this is for who
// looks at frames, not for who has to answer them. All of it but Drops and Wait
// belongs to one goroutine at a time; nothing here allocates once it is open.
//
// Frames come as a wire would have them. A veth passes on what its other end sent by
// segmentation offload (UDP_SEGMENT) as one long frame with an unfinished checksum, and a NIC's
// driver merges what it received (GRO): both are cut here. Before Linux 6.2 the kernel does not
// say how datagrams were joined; it counts such a frame as dropped.
type Blocks struct {
	name   string
	fd     int
	memory []byte
	blocks int
	next   int // the block that is filled next, or is being read
	left   uint32
	at     uintptr // of the next frame, in its block
	drops  drops

	cutter   offload.Cutter
	cut      [][]byte // of the latest frame, those that were not given yet
	realtime int64    // of it
}

// Received is a frame of a block.
type Received struct {
	Data []byte // from the Ethernet header on; valid until the block is released
	// Realtime is when the kernel received it, ns of CLOCK_REALTIME.
	Realtime int64
}

// OpenBlocks opens the interface in the network namespace of the calling thread; it
// stays there. It receives every frame that arrives, none that is sent. It needs
// root, or CAP_NET_RAW in the namespace.
func OpenBlocks(c BlockConfig) (*Blocks, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	ifc, err := net.InterfaceByName(c.Interface)
	if err != nil {
		return nil, fmt.Errorf("afpacket: find interface %q in this network namespace: %w: see `ip link`", c.Interface, err)
	}
	b := &Blocks{name: ifc.Name, blocks: c.Blocks}
	if b.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("afpacket: open a packet socket: %w: run as root, or with CAP_NET_RAW", err)
	}
	if err := b.setUp(c, ifc.Index); err != nil {
		return nil, errors.Join(fmt.Errorf("afpacket: set up %s: %w", c.Interface, err), b.Close())
	}
	return b, nil
}

func (b *Blocks) setUp(c BlockConfig, index int) error {
	if err := unix.SetsockoptInt(b.fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return fmt.Errorf("TPACKET_V3: %w", err)
	}
	if err := unix.SetsockoptInt(b.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		return fmt.Errorf("leave out what is sent (Linux 4.20): %w", err)
	}
	if err := unix.SetsockoptInt(b.fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1); err != nil {
		return fmt.Errorf("virtio-net headers: %w", err)
	}
	const frame = 2048 // the kernel wants a number; frames of version 3 have the size they need
	request := unix.TpacketReq3{
		Block_size: BlockBytes, Block_nr: uint32(c.Blocks), Frame_size: frame,
		Frame_nr: uint32(BlockBytes / frame * c.Blocks), Retire_blk_tov: uint32(c.Retire / time.Millisecond),
	}
	if err := unix.SetsockoptTpacketReq3(b.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &request); err != nil {
		return fmt.Errorf("make a ring of %d blocks of %d octets: %w", c.Blocks, BlockBytes, err)
	}
	var err error
	b.memory, err = unix.Mmap(b.fd, 0, BlockBytes*c.Blocks, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map the ring: %w", err)
	}
	const all = uint16(unix.ETH_P_ALL)
	return unix.Bind(b.fd, &unix.SockaddrLinklayer{Protocol: all<<8 | all>>8, Ifindex: index})
}

// blockHeader is struct tpacket_block_desc, as far as it is read.
type blockHeader struct {
	version, private uint32
	status, packets  uint32
	first, length    uint32
}

// frameHeader is struct tpacket3_hdr, as far as it is read.
type frameHeader struct {
	next, seconds, nanoseconds, captured, length, status uint32
	mac, net                                             uint16
}

func (b *Blocks) header() *blockHeader {
	return (*blockHeader)(unsafe.Pointer(&b.memory[b.next*BlockBytes]))
}

// Next goes to the oldest block that was handed over; false when there is none. It
// makes no system call. Release it when its frames were read.
func (b *Blocks) Next() bool {
	h := b.header()
	if atomic.LoadUint32(&h.status)&unix.TP_STATUS_USER == 0 {
		return false
	}
	b.left, b.at = h.packets, uintptr(h.first)
	b.cut = nil
	return true
}

// Frame gives the next frame of the block; false when there is none left.
func (b *Blocks) Frame() (Received, bool) {
	if len(b.cut) == 0 && !b.take() {
		return Received{}, false
	}
	data := b.cut[0]
	b.cut = b.cut[1:]
	return Received{Data: data, Realtime: b.realtime}, true
}

// take goes to the next frame that the kernel put into the block.
func (b *Blocks) take() bool {
	if b.left == 0 || b.at+unsafe.Sizeof(frameHeader{}) > BlockBytes {
		return false
	}
	b.left--
	block := b.memory[b.next*BlockBytes : (b.next+1)*BlockBytes]
	h := (*frameHeader)(unsafe.Pointer(&block[b.at]))
	from := b.at + uintptr(h.mac)
	to := from + uintptr(h.captured)
	if from < OffloadBytes || to > BlockBytes { // not what any kernel writes
		b.left = 0
		return false
	}
	b.at += uintptr(h.next)
	b.cutter.Reset()
	b.cut = b.cutter.CutFrame(block[from-OffloadBytes:from], block[from:to:to])
	b.realtime = int64(h.seconds)*1e9 + int64(h.nanoseconds)
	return true
}

// Release gives the block of Next back to the kernel.
func (b *Blocks) Release() {
	atomic.StoreUint32(&b.header().status, unix.TP_STATUS_KERNEL)
	b.next = (b.next + 1) % b.blocks
}

// WaitBlocks sleeps until one of the rings has a block or the time is over. The thread keeps
// its place in Go's scheduler meanwhile (see threads.Go).
func WaitBlocks(d time.Duration, rings ...*Blocks) error {
	var fds [8]unix.PollFd
	n := 0
	for _, b := range rings[:min(len(rings), len(fds))] {
		fds[n] = unix.PollFd{Fd: int32(b.fd), Events: unix.POLLIN}
		n++
	}
	return wait(threads.Poll, d, fds[:n])
}

// Drops is how many frames found no room in the ring since OpenBlocks. It may be
// called from any goroutine.
func (b *Blocks) Drops() (uint64, error) {
	b.drops.mu.Lock()
	defer b.drops.mu.Unlock()
	stats, err := unix.GetsockoptTpacketStatsV3(b.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0, fmt.Errorf("afpacket: read the drops of %s: %w", b.name, err)
	}
	b.drops.total += uint64(stats.Drops)
	return b.drops.total, nil
}

// Close frees the ring and the socket.
func (b *Blocks) Close() error {
	var errs []error
	if b.memory != nil {
		errs = append(errs, unix.Munmap(b.memory))
		b.memory = nil
	}
	return errors.Join(append(errs, unix.Close(b.fd))...)
}
