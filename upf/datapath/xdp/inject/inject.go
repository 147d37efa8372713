// Package inject runs an XDP program over packets that came otherwise than by its interface.
package inject

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// Context is struct xdp_md.
type Context struct {
	Data, DataEnd, DataMeta, IngressIfindex, RxQueue, EgressIfindex uint32
}

// The verdicts of the programs, of enum xdp_action.
const (
	pass     = 2
	redirect = 4
)

// most is how long a frame may be that a program is run over: a page, less what the kernel
// has of it.
const most = 4096 - 256 - 320

// waiting is how many wait to be run.
const waiting = 256

// Port is N3.
type Port struct {
	Program           *ebpf.Program
	Index             int
	Address, Address6 netip.Addr         // Address6 is invalid where it has none
	PutMAC            func(frame []byte) // writes its MAC address, as a frame's destination
	MTU               func() int         // of the links that uplink packets leave by, octets; 0: unknown
}

// Injector runs the program of N3 over G-PDUs that came in several outer packets, which the kernel has
// put together: they go by the same rules and count in the same counters.
type Injector struct {
	send      func(datapath.Slow)
	at        Port
	namespace *os.File // of the interfaces
	frames    chan []byte
	ended     chan struct{}
	lost      atomic.Uint64 // the kernel did not run the program over them
}

// Lost are the G-PDUs that the kernel did not run the program over.
func (i *Injector) Lost() uint64 { return i.lost.Load() }

// OwnNamespace is the network namespace of the calling thread.
const OwnNamespace = "/proc/thread-self/ns/net"

// Start starts a thread in a network namespace. send is called with what the program forwards.
func Start(at Port, send func(datapath.Slow), namespace string) (*Injector, error) {
	ns, err := os.Open(namespace)
	if err != nil {
		return nil, err
	}
	i := &Injector{send: send, at: at, namespace: ns, frames: make(chan []byte, waiting), ended: make(chan struct{})}
	entered := make(chan error)
	go i.run(entered)
	if err := <-entered; err != nil {
		return nil, errors.Join(err, ns.Close())
	}
	return i, nil
}

// enter puts the calling thread into a network namespace. It needs CAP_SYS_ADMIN where the thread is in
// another one.
func enter(namespace *os.File) error {
	var own, other unix.Stat_t
	if unix.Stat(OwnNamespace, &own) == nil && unix.Fstat(int(namespace.Fd()), &other) == nil &&
		own.Dev == other.Dev && own.Ino == other.Ino {
		return nil
	}
	return os.NewSyscallError("setns", unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET))
}

// Inject takes a G-PDU. It reports whether it is run.
func (i *Injector) Inject(message []byte, from netip.Addr, ecn uint8) bool {
	to := i.at.Address
	if from.Is6() {
		to = i.at.Address6
	}
	frame := frameOf(message, from, to, ecn)
	if len(frame) > most {
		return false
	}
	select {
	case i.frames <- frame:
		return true
	default:
		return false
	}
}

const ethernetBytes = 14

// frameOf is a message as it would have come in one packet. Nothing verifies the checksums.
func frameOf(message []byte, from, to netip.Addr, ecn uint8) []byte {
	const udp = 8
	b := make([]byte, ethernetBytes, ethernetBytes+40+udp+len(message))
	if from.Is4() {
		b[12] = 8
		b = binary.BigEndian.AppendUint16(append(b, 0x45, ecn), uint16(20+udp+len(message)))
		b = append(b, 0, 0, 0, 0, 64, unix.IPPROTO_UDP, 0, 0)
	} else {
		b[12], b[13] = 0x86, 0xdd
		b = binary.BigEndian.AppendUint16(append(b, 0x60, ecn<<4, 0, 0), uint16(udp+len(message)))
		b = append(b, unix.IPPROTO_UDP, 64)
	}
	b = append(append(b, from.AsSlice()...), to.AsSlice()...)
	for _, word := range [...]uint16{gtpu.Port, gtpu.Port, uint16(udp + len(message)), 0} {
		b = binary.BigEndian.AppendUint16(b, word)
	}
	return append(b, message...)
}

// run runs what was taken until the channel is closed, once it has said that it is where the kernel
// looks for the interface: in the thread's namespace.
func (i *Injector) run(entered chan<- error) {
	runtime.LockOSThread() // and the thread ends with the goroutine
	err := enter(i.namespace)
	entered <- err
	if err != nil {
		return
	}
	defer close(i.ended)
	for frame := range i.frames {
		i.runOne(frame)
	}
}

func (i *Injector) runOne(frame []byte) {
	i.at.PutMAC(frame)
	options := ebpf.RunOptions{
		Data: frame, DataOut: make([]byte, len(frame)+256),
		Context: Context{DataEnd: uint32(len(frame)), IngressIfindex: uint32(i.at.Index)},
	}
	verdict, err := i.at.Program.Run(&options)
	if err != nil || len(options.DataOut) < ethernetBytes+20 {
		i.lost.Add(1)
		return
	}
	packet := options.DataOut[ethernetBytes:]
	switch {
	case verdict == redirect:
		i.send(datapath.Slow{Packet: trimmed(packet)})
	case verdict == pass && !i.isToUPF(packet):
		packet = trimmed(packet)
		forward.Age(packet) // the kernel does not forward it
		i.send(datapath.Slow{Packet: packet, MTU: i.mtuFor(packet)})
	}
}

// isToUPF reports whether a packet is a G-PDU still, for no tunnel.
func (i *Injector) isToUPF(ip []byte) bool {
	if ip[0]>>4 == 6 {
		return len(ip) < 40 || netip.AddrFrom16([16]byte(ip[24:40])) == i.at.Address6
	}
	return netip.AddrFrom4([4]byte(ip[16:20])) == i.at.Address
}

// mtuFor is what each link takes that a T-PDU may leave by, where a router may fragment it; 0 of IPv6 (RFC
// 8200 clause 4.5) and of what has DF, which the programs have dropped where it is too big.
func (i *Injector) mtuFor(ip []byte) int {
	const dontFragment = 0x40
	if ip[0]>>4 == 6 || ip[6]&dontFragment != 0 {
		return 0
	}
	return i.at.MTU()
}

// Close ends the thread.
func (i *Injector) Close() error {
	close(i.frames)
	<-i.ended
	return i.namespace.Close()
}

// trimmed is a packet without what is after it.
func trimmed(ip []byte) []byte { return ip[:min(forward.Length(ip), len(ip))] }
