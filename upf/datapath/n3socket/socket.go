package n3socket

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/socket/unicast"
)

// Socket receives and sends G-PDUs. It is one goroutine's; nothing here allocates once
// it is open.
type Socket struct {
	fd  int
	six bool // of IPv6
	in  inbox
	out outbox
}

// buffer holds packets that wait, octets: some 2000 of 1400 octets.
const buffer = 4 << 20

func openSocket(c Config) (*Socket, error) {
	fd, err := unix.Socket(c.family(), unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := setUp(fd, c); err != nil {
		unix.Close(fd)
		return nil, err
	}
	s := &Socket{fd: fd, six: c.Address.Is6()}
	s.in.init()
	s.out.init(s.six)
	return s, nil
}

func setUp(fd int, c Config) error {
	if err := share(fd, c.Interface); err != nil {
		return err
	}
	for _, o := range []struct{ level, force, name int }{
		{unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}, {unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF},
	} { // beyond the system's limit where that is allowed
		if unix.SetsockoptInt(fd, o.level, o.force, buffer) != nil {
			if err := unix.SetsockoptInt(fd, o.level, o.name, buffer); err != nil {
				return fmt.Errorf("buffer of %d octets: %w", buffer, err)
			}
		}
	}
	if err := setUpFamily(fd, c); err != nil {
		return err
	}
	if err := errors.Join(c.join(fd), unicast.Only(fd)); err != nil {
		return err
	}
	return unix.Bind(fd, c.local())
}

// join has the kernel put datagrams of a gNB together (UDP GRO). Whether it does it takes from
// any socket of the group, by a hash of the gNB's address and port: so all have to say so.
// With several workers packets of different tunnels would be put together, and the first
// would say whose they are.
func (c Config) join(fd int) error {
	if c.Workers > 1 {
		return nil
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1); err != nil {
		return fmt.Errorf("UDP GRO: %w", err)
	}
	return nil
}

// setUpFamily has a socket do as the other datapaths: outer IPv4 packets may be fragmented on
// their way, and a UDP checksum of 0 is taken over IPv6 (RFC 6935).
func setUpFamily(fd int, c Config) error {
	if c.Address.Is6() {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_NO_CHECK6_RX, 1); err != nil {
			return fmt.Errorf("take UDP checksums of 0: %w", err)
		}
		return ReceiveTOS(fd, true)
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DONT); err != nil {
		return fmt.Errorf("do not set DF: %w", err)
	}
	return ReceiveTOS(fd, false)
}

// ReceiveTOS has the kernel say each datagram's type of service, or its traffic class where the
// socket is one of IPv6. TOS reads it.
func ReceiveTOS(fd int, six bool) error {
	level, option := unix.IPPROTO_IP, unix.IP_RECVTOS
	if six {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_RECVTCLASS
	}
	if err := unix.SetsockoptInt(fd, level, option, 1); err != nil {
		return fmt.Errorf("read the type of service: %w", err)
	}
	return nil
}

// steer has the kernel choose the socket: the first that was opened, which is the one
// for signalling, unless it is a G-PDU.
func (s *Socket) steer(workers int) error {
	const byteAt, wordAt = unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	program := []unix.SockFilter{ // on the UDP payload
		{Code: byteAt, K: 1},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(gtpu.GPDU), Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
		{Code: wordAt, K: 4}, // the TEID
		{Code: unix.BPF_ALU | unix.BPF_MOD | unix.BPF_K, K: uint32(workers)},
		{Code: unix.BPF_ALU | unix.BPF_ADD | unix.BPF_K, K: 1},
		{Code: unix.BPF_RET | unix.BPF_A},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.SetsockoptSockFprog(s.fd, unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &filter); err != nil {
		return fmt.Errorf("choose sockets by TEID: %w", err)
	}
	return nil
}

// FD is for poll(2).
func (s *Socket) FD() int { return s.fd }
