package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/xdp/inject"
	"github.com/upflab/upflab/upf/datapath/xdp/nexthop"
)

// slowPath are packets that the programs forward and do not send, and those that they are run over.
type slowPath struct {
	to       atomic.Pointer[func(datapath.Slow)]
	packets  *ringbuf.Reader
	injector *inject.Injector
	reading  sync.WaitGroup
}

// start works in the network namespace of the calling thread. p is N3's.
func (s *slowPath) start(o *upfObjects, cfg Config, p port, r *nexthop.Router) (err error) {
	if s.packets, err = ringbuf.NewReader(o.SlowPackets); err != nil {
		return fmt.Errorf("xdp: read packets that the kernel is to send: %w", err)
	}
	n3 := inject.Port{Program: p.forward, Index: p.index, Address: cfg.N3Address, Address6: cfg.N3Address6, PutMAC: r.PutMAC, MTU: r.MTU}
	if s.injector, err = inject.Start(n3, s.send, inject.OwnNamespace); err != nil {
		return fmt.Errorf("xdp: start a thread in the network namespace: %w", err)
	}
	s.reading.Go(s.listen)
	return nil
}

// close ends what start began, as far as it came.
func (s *slowPath) close() (err error) {
	if s.injector != nil {
		err = s.injector.Close()
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
