package lab

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/site"
)

// port is a packet socket at the tester's end of N3 or N6. Unlike those of the traffic
// engines it sends through the kernel's queueing discipline, so that captures see what
// it sends.
type port struct {
	to, from [6]byte
	file     *os.File
	raw      interface {
		Write(func(uintptr) bool) error
	}
	address unix.SockaddrLinklayer
	taker   atomic.Pointer[func(ip []byte)]
	reading sync.WaitGroup
}

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherLen  = 14
)

// open opens the socket. frames go to the UPF's end.
func (p *port) open(own, upf *netdev.Port) error {
	p.to, p.from = [6]byte(upf.MAC), [6]byte(own.MAC)
	err := own.NS.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		p.file = os.NewFile(uintptr(fd), own.Name)
		if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
			return err
		}
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 32<<20) != nil {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 32<<20) // what the system allows
		}
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

// On is behaviour.Port's.
func (p *port) On(f func(ip []byte)) { p.taker.Store(&f) }

// Send is behaviour.Port's.
func (p *port) Send(ip []byte) error {
	frame := make([]byte, etherLen, etherLen+len(ip))
	copy(frame, p.to[:])
	copy(frame[6:], p.from[:])
	kind := uint16(etherIPv4)
	if ip[0]>>4 == 6 {
		kind = etherIPv6
	}
	binary.BigEndian.PutUint16(frame[12:], kind)
	frame = append(frame, ip...)
	var failed error
	err := p.raw.Write(func(fd uintptr) bool {
		failed = unix.Sendto(int(fd), frame, 0, &p.address)
		return failed != unix.EAGAIN
	})
	if failed == unix.ENOBUFS { // lost, as on any link
		failed = nil
	}
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("send a packet of %d octets: %w", len(ip), err)
	}
	return nil
}

// read passes packets on until the socket is closed.
func (p *port) read(file *os.File) {
	b := make([]byte, 1<<16)
	for {
		n, err := file.Read(b)
		if err != nil {
			if errors.Is(err, os.ErrClosed) {
				return
			}
			continue
		}
		if n <= etherLen {
			continue
		}
		kind := binary.BigEndian.Uint16(b[12:])
		if to := p.taker.Load(); to != nil && (kind == etherIPv4 || kind == etherIPv6) {
			(*to)(append([]byte(nil), b[etherLen:n]...))
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
