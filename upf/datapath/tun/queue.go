package tun

import (
	"fmt"
	"net"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/offload"
)

// queue is one of a device's queues. It is one goroutine's; reading and writing allocate
// nothing.
type queue struct {
	fd      int
	link    int // octets of the link layer's header: 0, or Ethernet's
	head    [offload.HeaderBytes + forward.EthernetBytes]byte
	vectors [1 + offload.MaxParts]unix.Iovec
	packets []byte
}

// reads is how many packets are read before they are handled, packetMax the most that
// one read gives.
const (
	reads     = 64
	packetMax = 64 + 65536
)

func openQueue(c Config) (*queue, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	q := &queue{fd: fd, packets: make([]byte, reads*packetMax)}
	if err := q.attach(c); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return q, nil
}

// The offloads that the kernel may leave to us, linux/if_tun.h.
const (
	offloadTCP = unix.TUN_F_CSUM | unix.TUN_F_TSO4 | unix.TUN_F_TSO6 | unix.TUN_F_TSO_ECN
	offloadUDP = unix.TUN_F_USO4 | unix.TUN_F_USO6 // Linux 6.2
)

func (q *queue) attach(c Config) error {
	flags := uint16(unix.IFF_TUN | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
	if c.Ethernet {
		flags = flags&^unix.IFF_TUN | unix.IFF_TAP
		q.link = forward.EthernetBytes
	}
	if c.Workers > 1 {
		flags |= unix.IFF_MULTI_QUEUE
	}
	request, err := unix.NewIfreq(c.Device)
	if err != nil {
		return fmt.Errorf("%q cannot be the name of an interface: %w", c.Device, err)
	}
	request.SetUint16(flags)
	if err := unix.IoctlIfreq(q.fd, unix.TUNSETIFF, request); err != nil {
		return err
	}
	if unix.IoctlSetInt(q.fd, unix.TUNSETOFFLOAD, offloadTCP|offloadUDP) == nil {
		return nil
	}
	if err := unix.IoctlSetInt(q.fd, unix.TUNSETOFFLOAD, offloadTCP); err != nil {
		return fmt.Errorf("segmentation offload: %w", err)
	}
	return nil
}

// prefix fills in what is the same before each packet that is written, of either family.
func (q *queue) prefix(mac net.HardwareAddr) {
	ethernet := q.head[offload.HeaderBytes:]
	copy(ethernet, mac)
	copy(ethernet[6:], peerMAC())
}

// write gives a run to the kernel.
func (q *queue) write(r *offload.Run) error {
	r.Header(q.link).Put(q.head[:])
	q.head[len(q.head)-2], q.head[len(q.head)-1] = 8, 0
	if r.Parts[0][0]>>4 == 6 {
		q.head[len(q.head)-2], q.head[len(q.head)-1] = 0x86, 0xdd
	}
	q.vectors[0].Base = &q.head[0]
	q.vectors[0].SetLen(offload.HeaderBytes + q.link)
	for i, p := range r.Parts {
		q.vectors[1+i].Base = unsafe.SliceData(p)
		q.vectors[1+i].SetLen(len(p))
	}
	_, _, errno := unix.RawSyscall(unix.SYS_WRITEV, uintptr(q.fd), uintptr(unsafe.Pointer(&q.vectors[0])), uintptr(1+len(r.Parts)))
	runtime.KeepAlive(r)
	if errno != 0 {
		return errno
	}
	return nil
}

// read gives the next packet, in the i-th place: an IP packet with a header whose
// offsets count from it. It is empty when it is not IP, or the kernel's own for its
// neighbours. unix.EAGAIN: there is none.
func (q *queue) read(i int) (h offload.Header, ip []byte, err error) {
	b := q.packets[i*packetMax : (i+1)*packetMax]
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(q.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if errno != 0 {
		return h, nil, errno
	}
	before := offload.HeaderBytes + q.link
	if int(n) < before+20 {
		return h, nil, nil
	}
	switch ip, protocol := b[before:n], [2]byte(b[before-2:]); {
	case ip[0]>>4 == 4 && (q.link == 0 || protocol == [2]byte{8, 0}):
	case ip[0]>>4 == 6 && (q.link == 0 || protocol == [2]byte{0x86, 0xdd}) && len(ip) >= 40 && ip[24] != 0xff:
	default:
		return h, nil, nil
	}
	h = offload.Parse(b)
	h.SumFrom -= min(h.SumFrom, uint16(q.link))
	return h, b[before:n:n], nil
}
