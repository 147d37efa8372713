package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/xdp/nexthop"
)

// slowPath are packets that the programs forward and do not send, and those that they are run over.
type slowPath struct {
	to       atomic.Pointer[func(datapath.Slow)]
	packets  *ringbuf.Reader
	injector *injector
	reading  sync.WaitGroup
}

// start works in the network namespace of the calling thread. p is N3's.
func (s *slowPath) start(o *upfObjects, cfg Config, p port, r *nexthop.Router) (err error) {
	if s.packets, err = ringbuf.NewReader(o.SlowPackets); err != nil {
		return fmt.Errorf("xdp: read packets that the kernel is to send: %w", err)
	}
	i := &injector{send: s.send, n3: p, router: r, address: cfg.N3Address, address6: cfg.N3Address6}
	if err := i.start(ownNamespace); err != nil {
		return fmt.Errorf("xdp: start a thread in the network namespace: %w", err)
	}
	s.injector = i
	s.reading.Go(s.listen)
	return nil
}

// close ends what start began, as far as it came.
func (s *slowPath) close() (err error) {
	if s.injector != nil {
		err = s.injector.close()
	}
	if s.packets != nil {
		err = errors.Join(err, s.packets.Close())
	}
	s.reading.Wait()
	return err
}

// OnSlow sets the callback for packets that the programs forward and do not send.
func (s *slowPath) OnSlow(f func(datapath.Slow)) { s.to.Store(&f) }

func (s *slowPath) send(p datapath.Slow) {
	if to := s.to.Load(); to != nil {
		(*to)(p)
	}
}

// slowHeader is what comes before the packet in struct slow of bpf/slow.h; the others are how, of
// bpf/counters.h.
const (
	slowHeader     = 8
	slowUnresolved = 1
	slowOuter      = 0x10000
)

// listen hands packets on until the reader is closed.
func (s *slowPath) listen() {
	var record ringbuf.Record
	for s.packets.ReadInto(&record) == nil {
		b := record.RawSample
		if len(b) < slowHeader {
			continue
		}
		length, how := int(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])
		if length > len(b)-slowHeader {
			continue
		}
		s.send(slowOf(b[slowHeader:slowHeader+length], how))
	}
}

// slowOf is a packet with the outer headers of a program, which said how it is to be sent.
func slowOf(packet []byte, how uint32) datapath.Slow {
	s := datapath.Slow{Packet: packet}
	if how == slowUnresolved {
		return s
	}
	if s.MTU = int(how &^ slowOuter); how&slowOuter == 0 {
		s.TPDU, s.GTPU = tpduIn(packet)
	}
	return s
}

// tpduIn is where the T-PDU begins in a packet with the outer headers of a program, and whether GTP-U is
// among them: with a container, or none. GTP-U is known by its source port, which tunnels
// on N6 do not have; their address may be that of N3, and the port of their other end may be GTP-U's.
func tpduIn(ip []byte) (at int, isGTPU bool) {
	const udp = 8
	at, protocol := 20, ip[9]
	if ip[0]>>4 == 6 {
		at, protocol = 40, ip[6]
	}
	if protocol != unix.IPPROTO_UDP {
		return at, false
	}
	if binary.BigEndian.Uint16(ip[at:]) != gtpu.Port {
		return at + udp, false
	}
	const extended = 0x04 // the E flag
	if at += udp; ip[at]&extended == 0 {
		return at + gtpu.HeaderLen, true
	}
	at += gtpu.HeaderLen + gtpu.OptionalLen
	return at + 4*int(ip[at]), true // of four octets, or of eight with a Paging Policy Indicator
}

// xdpContext is struct xdp_md.
type xdpContext struct {
	Data, DataEnd, DataMeta, IngressIfindex, RxQueue, EgressIfindex uint32
}

// The verdicts of the programs, of enum xdp_action.
const (
	xdpPass     = 2
	xdpRedirect = 4
)

// injectMax is how long a frame may be that a program is run over: a page, less what the kernel
// has of it.
const injectMax = 4096 - 256 - 320

// injectWaiting is how many wait to be run.
const injectWaiting = 256

// injector runs the program of N3 over G-PDUs that came in several outer packets, which the kernel has
// put together: they go by the same rules and count in the same counters.
type injector struct {
	send      func(datapath.Slow)
	n3        port
	router    *nexthop.Router
	address   netip.Addr // of N3
	address6  netip.Addr // invalid where it has none
	namespace *os.File   // of the interfaces
	frames    chan []byte
	ended     chan struct{}
	lost      atomic.Uint64 // the kernel did not run the program over them
}

// ownNamespace is the network namespace of the calling thread.
const ownNamespace = "/proc/thread-self/ns/net"

// start starts a thread in a network namespace.
func (i *injector) start(namespace string) error {
	ns, err := os.Open(namespace)
	if err != nil {
		return err
	}
	i.namespace, i.frames, i.ended = ns, make(chan []byte, injectWaiting), make(chan struct{})
	entered := make(chan error)
	go i.run(entered)
	if err := <-entered; err != nil {
		return errors.Join(err, ns.Close())
	}
	return nil
}

// enter puts the calling thread into a network namespace. It needs CAP_SYS_ADMIN where the thread is in
// another one.
func enter(namespace *os.File) error {
	var own, other unix.Stat_t
	if unix.Stat(ownNamespace, &own) == nil && unix.Fstat(int(namespace.Fd()), &other) == nil &&
		own.Dev == other.Dev && own.Ino == other.Ino {
		return nil
	}
	return os.NewSyscallError("setns", unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET))
}

// Inject takes a G-PDU. It reports whether it is run.
func (s *slowPath) Inject(message []byte, from netip.Addr, ecn uint8) bool {
	to := s.injector.address
	if from.Is6() {
		to = s.injector.address6
	}
	frame := frameOf(message, from, to, ecn)
	if len(frame) > injectMax {
		return false
	}
	select {
	case s.injector.frames <- frame:
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
func (i *injector) run(entered chan<- error) {
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

func (i *injector) runOne(frame []byte) {
	p := i.n3
	i.router.PutMAC(frame)
	options := ebpf.RunOptions{
		Data: frame, DataOut: make([]byte, len(frame)+256),
		Context: xdpContext{DataEnd: uint32(len(frame)), IngressIfindex: uint32(p.index)},
	}
	verdict, err := p.forward.Run(&options)
	if err != nil || len(options.DataOut) < ethernetBytes+20 {
		i.lost.Add(1)
		return
	}
	packet := options.DataOut[ethernetBytes:]
	switch {
	case verdict == xdpRedirect:
		i.send(datapath.Slow{Packet: trimmed(packet)})
	case verdict == xdpPass && !i.isToUPF(packet):
		packet = trimmed(packet)
		forward.Age(packet) // the kernel does not forward it
		i.send(datapath.Slow{Packet: packet, MTU: i.mtuFor(packet)})
	}
}

// isToUPF reports whether a packet is a G-PDU still, for no tunnel.
func (i *injector) isToUPF(ip []byte) bool {
	if ip[0]>>4 == 6 {
		return len(ip) < 40 || netip.AddrFrom16([16]byte(ip[24:40])) == i.address6
	}
	return netip.AddrFrom4([4]byte(ip[16:20])) == i.address
}

// mtuFor is what each link takes that a T-PDU may leave by, where a router may fragment it; 0 of IPv6 (RFC
// 8200 clause 4.5) and of what has DF, which the programs have dropped where it is too big.
func (i *injector) mtuFor(ip []byte) int {
	const dontFragment = 0x40
	if ip[0]>>4 == 6 || ip[6]&dontFragment != 0 {
		return 0
	}
	return i.router.MTU()
}

func (i *injector) close() error {
	close(i.frames)
	<-i.ended
	return i.namespace.Close()
}

// trimmed is a packet without what is after it.
func trimmed(ip []byte) []byte { return ip[:min(forward.Length(ip), len(ip))] }
