package tpacket

import (
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Port is an open interface. All of it but Drops belongs to one goroutine at a
// time; nothing here allocates once the port is open.
type Port struct {
	name  string
	index int
	mac   net.HardwareAddr
	mtu   int
	fd    int
	ring  ring
	out   outbox
	drops drops
	cut   uint64
}

// Open opens the interface in the network namespace of the calling thread; the
// port stays there. It needs root, or CAP_NET_RAW in the namespace.
func Open(c Config) (*Port, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	ifc, err := net.InterfaceByName(c.Interface)
	if err != nil {
		return nil, fmt.Errorf("afpacket: find interface %q in this network namespace: %w: see `ip link`", c.Interface, err)
	}
	p := &Port{name: ifc.Name, index: ifc.Index, mac: ifc.HardwareAddr, mtu: ifc.MTU}
	if p.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("afpacket: open a packet socket: %w: run as root, or with CAP_NET_RAW", err)
	}
	if err := p.setUp(c); err != nil {
		return nil, errors.Join(fmt.Errorf("afpacket: set up %s: %w", c.Interface, err), p.Close())
	}
	return p, nil
}

// setUp makes the ring before the socket is bound, so that no frame comes in
// another way.
func (p *Port) setUp(c Config) error {
	if err := p.options(); err != nil {
		return err
	}
	if c.Offload {
		if err := unix.SetsockoptInt(p.fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1); err != nil {
			return fmt.Errorf("virtio-net headers: %w", err)
		}
	}
	if err := p.restrict(c); err != nil {
		return err
	}
	if err := p.mapRing(c); err != nil {
		return err
	}
	p.out.init(p.fd)
	ethertype := c.Ethertype
	if ethertype == 0 {
		ethertype = unix.ETH_P_ALL
	}
	return unix.Bind(p.fd, &unix.SockaddrLinklayer{Protocol: ethertype<<8 | ethertype>>8, Ifindex: p.index})
}

// sendBuffer is room for frames that the receiver has not taken yet.
const sendBuffer = 8 << 20

func (p *Port) options() error {
	for _, o := range []struct {
		level, name, value int
		what               string
	}{
		{unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V2, "TPACKET_V2"},
		{unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 1, "bypass of the queueing discipline"},
		{unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1, "leave out what is sent (Linux 4.20)"},
	} {
		if err := unix.SetsockoptInt(p.fd, o.level, o.name, o.value); err != nil {
			return fmt.Errorf("%s: %w", o.what, err)
		}
	}
	// Beyond the system's limit where that is allowed.
	if unix.SetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBuffer) != nil {
		return unix.SetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer)
	}
	return nil
}

func (p *Port) mapRing(c Config) error {
	slot := c.slot()
	block := max(slot, unix.Getpagesize())
	size := slot * c.Frames
	if size < block {
		c.Frames, size = block/slot, block
	}
	request := unix.TpacketReq{
		Block_size: uint32(block), Block_nr: uint32(size / block), Frame_size: uint32(slot), Frame_nr: uint32(c.Frames),
	}
	if err := unix.SetsockoptTpacketReq(p.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &request); err != nil {
		return fmt.Errorf("make a ring of %d frames of %d octets: %w", c.Frames, slot, err)
	}
	memory, err := unix.Mmap(p.fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map the ring: %w", err)
	}
	p.ring = ring{memory: memory, slot: slot, mask: c.Frames - 1}
	return nil
}

// Name of the interface.
func (p *Port) Name() string { return p.name }

// Index of the interface in its namespace.
func (p *Port) Index() int { return p.index }

// MAC address of the interface.
func (p *Port) MAC() net.HardwareAddr { return p.mac }

// MTU of the interface when the port was opened, octets of the IP packet.
func (p *Port) MTU() int { return p.mtu }

// Next gives the oldest frame that was received, from the Ethernet header on,
// nil when there is none. It makes no system call. The frame is the ring's and
// may be changed; it is valid until Release. A frame that was longer than
// MaxFrame is skipped and counted by Cut.
func (p *Port) Next() []byte {
	for p.ring.ready() {
		frame, cut := p.ring.frame()
		if !cut {
			return frame
		}
		p.cut++
		if p.ring.held > 0 { // slots are given back in their order
			p.ring.hold()
		} else {
			p.ring.release()
		}
	}
	return nil
}

// Realtime is when the kernel received the frame of Next, ns of CLOCK_REALTIME.
func (p *Port) Realtime() int64 { return p.ring.time() }

// Release gives the frame of Next back to the kernel.
func (p *Port) Release() { p.ring.release() }

// Hold keeps the frame of Next, so that Next gives the one after it. Half of the ring's
// frames may be held.
func (p *Port) Hold() { p.ring.hold() }

// ReleaseHeld gives back all frames that were held.
func (p *Port) ReleaseHeld() { p.ring.releaseHeld() }

// Offload is the virtio-net header of the frame of Next; with Config.Offload.
func (p *Port) Offload() []byte { return p.ring.before(OffloadBytes) }

// FD is for poll(2).
func (p *Port) FD() int { return p.fd }

// Cut is how many frames did not fit their slots.
func (p *Port) Cut() uint64 { return p.cut }

// Wait sleeps until one of the ports has a frame or the time is over.
func Wait(d time.Duration, ports ...*Port) error {
	var fds [8]unix.PollFd
	n := 0
	for _, p := range ports[:min(len(ports), len(fds))] {
		fds[n] = unix.PollFd{Fd: int32(p.fd), Events: unix.POLLIN}
		n++
	}
	return wait(unix.Poll, d, fds[:n])
}

// Close frees the ring and the socket.
func (p *Port) Close() error {
	var errs []error
	if p.ring.memory != nil {
		errs = append(errs, unix.Munmap(p.ring.memory))
		p.ring.memory = nil
	}
	return errors.Join(append(errs, unix.Close(p.fd))...)
}
