package upf

import (
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// icmp6Socket sends ICMPv6 messages by the kernel, which gives them their source address
// and checksum.
type icmp6Socket struct{ fd int }

// openICMPv6 opens one in the network namespace of the calling thread; nil where there is
// no IPv6.
func openICMPv6() (*icmp6Socket, error) {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_ICMPV6)
	if err == unix.EAFNOSUPPORT {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open a socket for ICMPv6: %w: root is needed, or CAP_NET_RAW", err)
	}
	// Nothing is received by it: with all bits set a type is blocked.
	var none unix.ICMPv6Filter
	for i := range none.Data {
		none.Data[i] = ^uint32(0)
	}
	if err := unix.SetsockoptICMPv6Filter(fd, unix.IPPROTO_ICMPV6, unix.ICMPV6_FILTER, &none); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("setsockopt ICMPV6_FILTER", err)
	}
	return &icmp6Socket{fd}, nil
}

// send is pfcp.Config's SendICMPv6. What cannot be sent is lost, as ICMP may be.
func (s *icmp6Socket) send(to netip.Addr, message []byte) {
	_ = unix.Sendto(s.fd, message, unix.MSG_DONTWAIT, &unix.SockaddrInet6{Addr: to.As16()})
}

func (s *icmp6Socket) close() error {
	if s == nil {
		return nil
	}
	return unix.Close(s.fd)
}
