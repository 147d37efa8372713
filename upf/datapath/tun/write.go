package tun

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// room is what is before each packet of the worker's, which a packet's header may be written
// over: a GTP-U header of 8 octets at least, and what the socket leaves free.
const room = 8 + n3socket.Headroom

var _ = [room - headMax]struct{}{} // there is enough

// write gives a run to the kernel, which forwards it inside the call.
func (q *queue) write(r *offload.Run) error {
	if r.Packets() == 1 {
		return failed(q.one(q.direct, r.Parts[0]))
	}
	r.Header(q.link).Put(q.head[:])
	q.protocol(q.head[:], r.Parts[0])
	q.vectors[0].Base = &q.head[0]
	q.vectors[0].SetLen(offload.HeaderBytes + q.link)
	for i, p := range r.Parts {
		q.vectors[1+i].Base = unsafe.SliceData(p)
		q.vectors[1+i].SetLen(len(p))
	}
	_, _, errno := unix.RawSyscall(unix.SYS_WRITEV, uintptr(q.direct), uintptr(unsafe.Pointer(&q.vectors[0])), uintptr(1+len(r.Parts)))
	runtime.KeepAlive(r)
	return failed(errno)
}

// put gives a packet to the kernel's thread, and waits where too much waits for that.
func (q *queue) put(ip []byte) error {
	errno := q.one(q.fd, ip)
	for tries := 0; errno == unix.EAGAIN && tries < 10; tries++ { // not for ever: the thread may be held up
		q.awaitRoom()
		errno = q.one(q.fd, ip)
	}
	return failed(errno)
}

// one writes a packet with its header before it, in place: one vector is quicker than two.
// What was there is put back, for it may be the end of another packet.
func (q *queue) one(fd int, ip []byte) unix.Errno {
	n := offload.HeaderBytes + q.link
	b := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(ip)), -n)), n+len(ip))
	var before [headMax]byte
	copy(before[:], b[:n])
	clear(b[:offload.HeaderBytes])
	copy(b[offload.HeaderBytes:n], q.head[offload.HeaderBytes:])
	q.protocol(b, ip)
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	copy(b[:n], before[:])
	return errno
}

// protocol writes the EtherType where there is an Ethernet header.
func (q *queue) protocol(head, ip []byte) {
	if q.link == 0 {
		return
	}
	at := head[offload.HeaderBytes+q.link-2:]
	at[0], at[1] = 8, 0
	if ip[0]>>4 == 6 {
		at[0], at[1] = 0x86, 0xdd
	}
}

func failed(errno unix.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}
