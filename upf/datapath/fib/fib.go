// Package fib asks the kernel where packets go: it is the router of a datapath that
// forwards in user space.
package fib

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/neighbour"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// FIB asks the kernel for next hops, each destination once, and again when a
// route, neighbour, link or address has changed. A destination without one is
// asked for again after a while.
type FIB struct {
	kernel     *netlink.Handle
	events     *nl.NetlinkSocket
	generation atomic.Uint32
	running    sync.WaitGroup
	mtus       mtus
}

// Exit is the router of one interface. Route is called by one goroutine at a time, Prepare by any.
type Exit struct {
	fib   *FIB
	ports []port // the interface's first
	known map[netip.Addr]answer
	fresh uint64 // how old an answer may be, ns

	mu       sync.Mutex
	prepared map[netip.Addr]uint32 // the generation that it was done in
}

// Link is an interface of the namespace that Open was called in.
type Link struct {
	Index int
	MTU   int // octets of an IP packet, when it was looked at; changes are followed
	// MAC is its Ethernet address, for who writes frames. Without one, neighbours
	// are left to the kernel: the hops have no addresses.
	MAC net.HardwareAddr
}

// port is an interface that packets leave by.
type port struct {
	Link
	mtu *mtu
}

var _ forward.Router = (*Exit)(nil)

type answer struct {
	forward.Hop
	verdict    forward.Verdict
	generation uint32
	at         uint64 // ns
	slow       int    // how many packets have gone the slow way by it
}

const (
	knownMax   = 1 << 16 // destinations
	askAgainNS = 100e6
	// slowMax is how many packets the kernel gets for a neighbour by one answer, until it has
	// resolved it: more than its own queue holds of 1500 octets each.
	slowMax = 128
	// tunnelNS is how soon a path MTU is seen that the kernel learned, for it tells nobody.
	tunnelNS = 1e9
)

// Open works in the network namespace of the calling thread. Close it when done.
func Open() (*FIB, error) {
	f := &FIB{}
	var err error
	if f.kernel, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return nil, fmt.Errorf("open a netlink socket: %w", err)
	}
	f.events, err = nl.Subscribe(unix.NETLINK_ROUTE, unix.RTNLGRP_LINK, unix.RTNLGRP_NEIGH,
		unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV4_RULE,
		unix.RTNLGRP_IPV6_IFADDR, unix.RTNLGRP_IPV6_ROUTE, unix.RTNLGRP_IPV6_RULE)
	if err != nil {
		f.kernel.Close()
		return nil, fmt.Errorf("listen for changes of routes: %w", err)
	}
	f.running.Go(f.listen)
	return f, nil
}

// listen makes all answers stale when anything changes.
func (f *FIB) listen() {
	for {
		messages, _, err := f.events.Receive()
		if err != nil && !errors.Is(err, unix.ENOBUFS) {
			return
		}
		f.mtus.refresh(f.kernel, func(link int) bool { // of any link a message may be lost
			return err != nil || slices.ContainsFunc(messages, func(m syscall.NetlinkMessage) bool { return isAbout(m, link) })
		})
		f.generation.Add(1)
	}
}

// Close ends it; its exits give no more answers.
func (f *FIB) Close() {
	f.events.Close()
	f.running.Wait()
	f.kernel.Close()
}

// Exit makes the router of a packet socket's interface.
func (f *FIB) Exit(p *tpacket.Port) *Exit {
	return f.Through(Link{p.Index(), p.MTU(), p.MAC()})
}

// Through makes the router of an interface.
func (f *FIB) Through(l Link) *Exit {
	return &Exit{fib: f, ports: []port{{l, f.mtus.of(l)}}, known: map[netip.Addr]answer{}, fresh: math.MaxUint64, prepared: map[netip.Addr]uint32{}}
}

// Or has packets that the kernel sends by another interface leave by that.
func (e *Exit) Or(l Link) *Exit {
	e.ports = append(e.ports, port{l, e.fib.mtus.of(l)})
	return e
}

// Tunnels has the router ask again from time to time. It is for one of few destinations, the
// ends of tunnels.
func (e *Exit) Tunnels() *Exit {
	e.fresh = tunnelNS
	return e
}

// Route implements forward.Router. What the kernel sends by another interface, or to itself,
// has no route. Slow: it has to resolve the neighbour.
func (e *Exit) Route(destination netip.Addr, now uint64) (forward.Hop, forward.Verdict) {
	generation := e.fib.generation.Load()
	a, ok := e.known[destination]
	if ok && a.generation == generation && now-a.at < e.patience(a.verdict) {
		return a.Hop, e.bounded(destination, a)
	}
	if len(e.known) >= knownMax {
		clear(e.known)
	}
	a = answer{generation: generation, at: now}
	a.Hop, a.verdict = e.ask(destination.AsSlice())
	e.known[destination] = a
	return a.Hop, a.verdict
}

// bounded is an answer's verdict on one more packet: a neighbour that does not answer gets no more than
// some.
func (e *Exit) bounded(destination netip.Addr, a answer) forward.Verdict {
	if a.verdict != forward.Slow {
		return a.verdict
	}
	if a.slow++; a.slow >= slowMax {
		return forward.Drop(datapath.ReasonNoRoute)
	}
	e.known[destination] = a
	return forward.Slow
}

// Prepare has the kernel resolve a destination that packets are about to go to, unless that was done
// since anything changed. The first of them asks again for the answer.
func (e *Exit) Prepare(destination netip.Addr) {
	if e.ports[0].MAC != nil && e.isUnprepared(destination) {
		e.ask(destination.AsSlice())
	}
}

// isUnprepared reports whether it is to be done, which it is then taken for.
func (e *Exit) isUnprepared(destination netip.Addr) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	generation := e.fib.generation.Load()
	if was, ok := e.prepared[destination]; ok && was == generation {
		return false
	}
	if len(e.prepared) >= knownMax {
		clear(e.prepared)
	}
	e.prepared[destination] = generation
	return true
}

// patience is how long an answer holds, ns.
func (e *Exit) patience(v forward.Verdict) uint64 {
	if v == forward.Forward {
		return e.fresh
	}
	return askAgainNS
}

// ask finds the neighbour that a packet is sent to, if it is sent by this port. Any goroutine may call it.
func (e *Exit) ask(destination net.IP) (h forward.Hop, v forward.Verdict) {
	routes, err := e.fib.kernel.RouteGet(destination)
	switch {
	case err != nil || len(routes) == 0:
		return h, forward.Drop(datapath.ReasonNoRoute)
	case routes[0].Type == unix.RTN_LOCAL:
		return h, forward.Drop(datapath.ReasonToUPF)
	case routes[0].Type != unix.RTN_UNICAST:
		return h, forward.Drop(datapath.ReasonNoRoute)
	}
	i := slices.IndexFunc(e.ports, func(p port) bool { return p.Index == routes[0].LinkIndex })
	if i < 0 {
		return h, forward.Drop(datapath.ReasonEgress)
	}
	by := &e.ports[i]
	h.MTU = int(by.mtu.octets.Load())
	if path := routes[0].MTU; path > 0 && path < h.MTU {
		h.MTU = path
	}
	if by.MAC == nil {
		return h, forward.Forward
	}
	next := destination
	if routes[0].Gw != nil {
		next = routes[0].Gw
	}
	mac := e.neighbour(by.Index, next)
	if mac == nil {
		return h, forward.Slow
	}
	copy(h.MACs[:6], mac)
	copy(h.MACs[6:], by.MAC)
	return h, forward.Forward
}

// neighbour is its MAC address; when it is not known the kernel is asked to resolve
// it.
func (e *Exit) neighbour(link int, ip net.IP) net.HardwareAddr {
	family := unix.AF_INET
	if len(ip) == net.IPv6len {
		family = unix.AF_INET6
	}
	list, err := e.fib.kernel.NeighList(link, family)
	if err != nil {
		return nil
	}
	if hw := neighbour.MAC(list, ip); hw != nil {
		return hw
	}
	_ = neighbour.Resolve(e.fib.kernel, link, ip) // asked again with the next packet
	return nil
}
