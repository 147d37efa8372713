package tun

import (
	"errors"
	"fmt"
	"net"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// queue is one of a device's queues. It is one goroutine's; reading and writing allocate
// nothing.
type queue struct {
	fd     int // read from; what is written here goes on by the kernel's thread, if there is one
	direct int // what is written here goes on inside the write; fd where there is no thread
	limit  *limit

	link    int // octets of the link layer's header: 0, or Ethernet's
	head    [headMax]byte
	vectors [1 + offload.MaxParts]unix.Iovec
	packets []byte
}

// reads is how many packets are read before they are handled, packetMax the most that
// one read gives, headMax what is before a packet that is written.
const (
	reads     = 64
	packetMax = 64 + 65536
	headMax   = offload.HeaderBytes + forward.EthernetBytes
)

// openQueue opens one; with a limit, it has a thread of the kernel.
func openQueue(c Config, l *limit) (*queue, error) {
	q := &queue{fd: -1, direct: -1, limit: l, packets: make([]byte, reads*packetMax)}
	if c.Ethernet {
		q.link = forward.EthernetBytes
	}
	if err := q.open(c); err != nil {
		return nil, errors.Join(err, q.close())
	}
	return q, nil
}

func (q *queue) open(c Config) (err error) {
	if q.limit == nil {
		q.fd, err = attach(c, 0)
		q.direct = q.fd
		return err
	}
	if q.fd, err = attach(c, unix.IFF_NAPI|unix.IFF_MULTI_QUEUE); err != nil {
		return err
	}
	if q.direct, err = attach(c, unix.IFF_MULTI_QUEUE); err != nil {
		return err
	}
	return detach(q.direct)
}

func (q *queue) close() error {
	var errs []error
	if q.direct >= 0 && q.direct != q.fd {
		errs = append(errs, unix.Close(q.direct))
	}
	if q.fd >= 0 {
		errs = append(errs, unix.Close(q.fd))
	}
	return errors.Join(errs...)
}

// The offloads that the kernel may leave to us, linux/if_tun.h.
const (
	offloadTCP = unix.TUN_F_CSUM | unix.TUN_F_TSO4 | unix.TUN_F_TSO6 | unix.TUN_F_TSO_ECN
	offloadUDP = unix.TUN_F_USO4 | unix.TUN_F_USO6 // Linux 6.2
)

// attach opens a queue of the device, the first with the device.
func attach(c Config, flags uint16) (fd int, err error) {
	flags |= unix.IFF_TUN | unix.IFF_NO_PI | unix.IFF_VNET_HDR
	if c.Ethernet {
		flags = flags&^unix.IFF_TUN | unix.IFF_TAP
	}
	if c.Workers > 1 {
		flags |= unix.IFF_MULTI_QUEUE
	}
	request, err := unix.NewIfreq(c.Device)
	if err != nil {
		return -1, fmt.Errorf("%q cannot be the name of an interface: %w", c.Device, err)
	}
	request.SetUint16(flags)
	if fd, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return -1, err
	}
	if err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err == nil {
		err = offloads(fd)
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

func offloads(fd int) error {
	if unix.IoctlSetInt(fd, unix.TUNSETOFFLOAD, offloadTCP|offloadUDP) == nil {
		return nil
	}
	if err := unix.IoctlSetInt(fd, unix.TUNSETOFFLOAD, offloadTCP); err != nil {
		return fmt.Errorf("segmentation offload: %w", err)
	}
	return nil
}

// detach has the kernel put no packets into a queue. It can be written to.
func detach(fd int) error {
	request, err := unix.NewIfreq("")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_DETACH_QUEUE)
	if err := unix.IoctlIfreq(fd, unix.TUNSETQUEUE, request); err != nil {
		return fmt.Errorf("detach a queue: %w", err)
	}
	return nil
}

// prefix fills in what is the same before each packet that is written, of either family.
func (q *queue) prefix(mac net.HardwareAddr) {
	ethernet := q.head[offload.HeaderBytes:]
	copy(ethernet, mac)
	copy(ethernet[6:], peerMAC())
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
