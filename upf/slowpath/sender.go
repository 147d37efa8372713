// Package slowpath sends the few packets that a datapath forwards and cannot send itself: the kernel
// resolves the next hop of those whose neighbour is not known yet, and keeps them meanwhile, and what
// does not fit the link leaves in fragments.
package slowpath

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
)

// Sender has a raw socket for each family, which the kernel routes packets from as they are.
type Sender struct {
	four, six int // six is -1 where there is no IPv6
	waiting   chan datapath.Slow
	count     struct{ packets, fragmented, lost atomic.Uint64 }
}

// Counters are totals in packets.
type Counters struct {
	Packets    uint64 `json:"packets"`    // taken
	Fragmented uint64 `json:"fragmented"` // of these
	Lost       uint64 `json:"lost"`       // no room, or the kernel refused them
}

const (
	waitingMax = 1024
	// sendBuffer has room for what the kernel keeps for neighbours that do not answer, octets: 208
	// KiB each, so that a few leave room for others.
	sendBuffer = 16 << 20
)

// Open opens the sockets in the network namespace of the calling thread. It needs root, or
// CAP_NET_RAW. Where only that for IPv6 cannot be opened it gives a Sender for IPv4, and the error.
func Open() (*Sender, error) { return openBy(open) }

func openBy(open func(family int) (int, error)) (*Sender, error) {
	s := &Sender{six: -1, waiting: make(chan datapath.Slow, waitingMax)}
	var err error
	if s.four, err = open(unix.AF_INET); err != nil {
		return nil, fmt.Errorf("open a raw socket for packets that are to be fragmented, or whose next hop is to be resolved: %w: "+
			"root is needed, or CAP_NET_RAW", err)
	}
	if s.six, err = open(unix.AF_INET6); err != nil && err != unix.EAFNOSUPPORT {
		return s, fmt.Errorf("open a raw socket for IPv6: %w", err)
	}
	return s, nil
}

// open opens a socket of IPPROTO_RAW, to which packets have their headers, and which receives nothing.
func open(family int) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_RAW)
	if err != nil {
		return -1, err
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBuffer)
	return fd, nil
}

// Take is the callback of datapath.Capabilities' OnSlow.
func (s *Sender) Take(p datapath.Slow) {
	s.count.packets.Add(1)
	if len(s.waiting) == cap(s.waiting) { // before the packet is copied
		s.count.lost.Add(1)
		return
	}
	p.Packet = bytes.Clone(p.Packet)
	select {
	case s.waiting <- p:
	default:
		s.count.lost.Add(1)
	}
}

// Run sends what was taken until ctx is done.
func (s *Sender) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-s.waiting:
			s.send(&p)
		}
	}
}

func (s *Sender) send(p *datapath.Slow) {
	all := fragments(p)
	sent := len(all) > 0
	if len(all) > 1 {
		s.count.fragmented.Add(1)
	}
	for _, packet := range all {
		sent = s.sendOne(packet) && sent
	}
	if !sent {
		s.count.lost.Add(1)
	}
}

func (s *Sender) sendOne(packet []byte) bool {
	if packet[0]>>4 == 6 {
		return s.six >= 0 && unix.Sendto(s.six, packet, unix.MSG_DONTWAIT, &unix.SockaddrInet6{Addr: [16]byte(packet[24:40])}) == nil
	}
	return unix.Sendto(s.four, packet, unix.MSG_DONTWAIT, &unix.SockaddrInet4{Addr: [4]byte(packet[16:20])}) == nil
}

// Counters gives the totals since Open; those of nil are 0.
func (s *Sender) Counters() (c Counters) {
	if s == nil {
		return c
	}
	return Counters{Packets: s.count.packets.Load(), Fragmented: s.count.fragmented.Load(), Lost: s.count.lost.Load()}
}

// Close closes the sockets. s may be nil.
func (s *Sender) Close() error {
	if s == nil {
		return nil
	}
	err := unix.Close(s.four)
	if s.six >= 0 {
		err = errors.Join(err, unix.Close(s.six))
	}
	return err
}
