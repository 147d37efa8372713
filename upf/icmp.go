package upf

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// icmp4Socket sends ICMP messages by the kernel, which gives them their source address.
type icmp4Socket struct{ fd int }

// icmpFilter is ICMP_FILTER of linux/icmp.h.
const icmpFilter = 1

// openICMP opens one in the network namespace of the calling thread.
func openICMP() (*icmp4Socket, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_ICMP)
	if err != nil {
		return nil, fmt.Errorf("open a socket for ICMP: %w: root is needed, or CAP_NET_RAW", err)
	}
	// Nothing is received by it: with all bits set a type is blocked.
	all := string(binary.NativeEndian.AppendUint32(nil, ^uint32(0)))
	if err := unix.SetsockoptString(fd, unix.SOL_RAW, icmpFilter, all); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("setsockopt ICMP_FILTER", err)
	}
	return &icmp4Socket{fd}, nil
}

// send is pfcp.Config's SendICMP. What cannot be sent is lost, as ICMP may be.
func (s *icmp4Socket) send(to netip.Addr, message []byte) {
	_ = unix.Sendto(s.fd, message, unix.MSG_DONTWAIT, &unix.SockaddrInet4{Addr: to.As4()})
}

func (s *icmp4Socket) close() error {
	if s == nil {
		return nil
	}
	return unix.Close(s.fd)
}

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
