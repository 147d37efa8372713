package n3socket

import (
	"encoding/binary"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
)

// name is a peer's address and port, as the kernel has them, of either family.
type name struct{ unix.RawSockaddrInet6 }

// nameBytes has room for either.
const nameBytes = unix.SizeofSockaddrInet6

func (n *name) four() *unix.RawSockaddrInet4 {
	return (*unix.RawSockaddrInet4)(unsafe.Pointer(&n.RawSockaddrInet6))
}

// init makes it one of a GTP-U endpoint, and gives its length.
func (n *name) init(six bool) (length uint32) {
	length, n.Family = unix.SizeofSockaddrInet4, unix.AF_INET // family and port are at the same places
	if six {
		length, n.Family = unix.SizeofSockaddrInet6, unix.AF_INET6
	}
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&n.Port))[:], gtpu.Port)
	return length
}

// set gives it an address of the family that it was made for.
func (n *name) set(a netip.Addr) {
	if a.Is6() {
		n.Addr = a.As16()
		return
	}
	n.four().Addr = a.As4()
}

func (n *name) address(six bool) netip.AddrPort {
	port := n.Port<<8 | n.Port>>8
	if six {
		return netip.AddrPortFrom(netip.AddrFrom16(n.Addr), port)
	}
	return netip.AddrPortFrom(netip.AddrFrom4(n.four().Addr), port)
}
