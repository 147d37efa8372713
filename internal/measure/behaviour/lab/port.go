package lab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/arp"
	"github.com/upflab/upflab/internal/socket/backlog"
	"github.com/upflab/upflab/internal/socket/offload"
)

// port is a packet socket at the tester's end of N3 or N6. Unlike those of the traffic
// engines it sends through the kernel's queueing discipline, so that captures see what
// it sends.
type port struct {
	to, from [6]byte
	file     *os.File
	raw      syscall.RawConn
	address  unix.SockaddrLinklayer
	taker    atomic.Pointer[func(ip []byte)]
	guard    atomic.Pointer[guard] // nil: packets are sent and arrive as they are
	arp      resolution
	reading  sync.WaitGroup
}

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherLen  = 14
	vnetLen   = offload.HeaderBytes // in front of each frame
)

// open opens the socket. frames go to the UPF's end.
func (p *port) open(own, upf *netdev.Port) error {
	p.to, p.from = [6]byte(upf.MAC), [6]byte(own.MAC)
	p.arp.heard = map[netip.Addr]bool{}
	err := own.NS.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		p.file = os.NewFile(uintptr(fd), own.Name)
		if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1); err != nil {
			return err
		}
		backlog.GrowFD(fd, 32<<20)
		p.address = unix.SockaddrLinklayer{Protocol: 0x0300, Ifindex: own.Index} // ETH_P_ALL
		return unix.Bind(fd, &p.address)
	})
	if err != nil {
		return fmt.Errorf("open a packet socket on %s: %w", own.Name, errors.Join(err, p.close()))
	}
	p.raw, err = p.file.SyscallConn()
	if err != nil {
		return err
	}
	p.reading.Go(func() { p.read(p.file) })
	return nil
}

// On implements behaviour.Port: it has f called for each IP packet that arrives.
func (p *port) On(f func(ip []byte)) { p.taker.Store(&f) }

// Send implements behaviour.Port: it sends an IP packet to the UPF.
func (p *port) Send(ip []byte) error {
	g := p.guard.Load()
	if g == nil {
		return p.send(ip)
	}
	for _, sealed := range g.seal(ip) {
		if err := p.send(sealed); err != nil {
			return err
		}
	}
	return nil
}

// send sends an IP packet as it is.
func (p *port) send(ip []byte) error {
	frame := make([]byte, etherLen, etherLen+len(ip))
	copy(frame, p.to[:])
	copy(frame[6:], p.from[:])
	kind := uint16(etherIPv4)
	if ip[0]>>4 == 6 {
		kind = etherIPv6
	}
	binary.BigEndian.PutUint16(frame[12:], kind)
	return p.write(append(frame, ip...))
}

// write sends a frame, which has at least the length that a link gives it.
func (p *port) write(frame []byte) error {
	frame = packet.Pad(frame)
	frame = append(make([]byte, vnetLen, vnetLen+len(frame)), frame...) // nothing is left to the device
	var failed error
	err := p.raw.Write(func(fd uintptr) bool {
		failed = unix.Sendto(int(fd), frame, 0, &p.address)
		return failed != unix.EAGAIN
	})
	if failed == unix.ENOBUFS { // lost, as on any link
		failed = nil
	}
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("send a frame of %d octets: %w", len(frame)-vnetLen, err)
	}
	return nil
}

// read passes packets on until the socket is closed. What the kernel has left uncut, or without its
// checksum, to a device which there is not (a veth of the user's passes frames on like that) comes
// as it would on a wire.
func (p *port) read(file *os.File) {
	b := make([]byte, vnetLen+1<<16+etherLen)
	var cutter offload.Cutter
	for {
		n, err := file.Read(b)
		if err != nil {
			if errors.Is(err, os.ErrClosed) {
				return
			}
			continue
		}
		if n <= vnetLen+etherLen {
			continue
		}
		cutter.Reset()
		for _, frame := range cutter.CutFrame(b[:vnetLen], b[vnetLen:n]) {
			p.take(bytes.Clone(frame))
		}
	}
}

// take passes a frame on.
func (p *port) take(frame []byte) {
	switch binary.BigEndian.Uint16(frame[12:]) {
	case arp.EtherType:
		p.resolve(frame)
	case etherIPv4, etherIPv6:
		ip := frame[etherLen:]
		if g := p.guard.Load(); g != nil {
			ip = g.open(ip)
		}
		if to := p.taker.Load(); to != nil {
			(*to)(ip)
		}
	}
}

func (p *port) close() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	p.reading.Wait()
	p.file = nil
	return err
}

// neighbour is the entry with which the UPF finds a further gNB at the same link.
func neighbour(l *site.Links, gnb netip.Addr) []netdev.Neighbour {
	return []netdev.Neighbour{{Device: l.UPFN3.Name, IP: gnb, MAC: l.GNB.MAC}}
}
