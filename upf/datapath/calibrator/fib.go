package calibrator

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/afpacket"
)

// fib asks the kernel for next hops, each destination once, and again when a
// route, neighbour, link or address has changed. A destination without one is
// asked for again after a while.
type fib struct {
	kernel     *netlink.Handle
	events     *nl.NetlinkSocket
	generation atomic.Uint32
	running    sync.WaitGroup
}

// exit is the router of one port.
type exit struct {
	fib   *fib
	port  *afpacket.Port
	known map[[4]byte]answer
}

type answer struct {
	hop
	found      bool
	generation uint32
	at         uint64 // ns
}

const (
	knownMax   = 1 << 16 // destinations
	askAgainNS = 100e6
)

// newFIB works in the network namespace of the calling thread.
func newFIB() (*fib, error) {
	f := &fib{}
	var err error
	if f.kernel, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return nil, fmt.Errorf("calibrator: open a netlink socket: %w", err)
	}
	f.events, err = nl.Subscribe(unix.NETLINK_ROUTE, unix.RTNLGRP_LINK, unix.RTNLGRP_NEIGH,
		unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV4_RULE)
	if err != nil {
		f.kernel.Close()
		return nil, fmt.Errorf("calibrator: listen for changes of routes: %w", err)
	}
	f.running.Go(f.listen)
	return f, nil
}

// listen makes all answers stale when anything changes.
func (f *fib) listen() {
	for {
		_, _, err := f.events.Receive()
		if err != nil && !errors.Is(err, unix.ENOBUFS) {
			return
		}
		f.generation.Add(1)
	}
}

func (f *fib) close() {
	f.events.Close()
	f.running.Wait()
	f.kernel.Close()
}

func (f *fib) exit(p *afpacket.Port) *exit {
	return &exit{fib: f, port: p, known: map[[4]byte]answer{}}
}

// route is router's.
func (e *exit) route(destination [4]byte, now uint64) (hop, bool) {
	generation := e.fib.generation.Load()
	a, ok := e.known[destination]
	if ok && a.generation == generation && (a.found || now-a.at < askAgainNS) {
		return a.hop, a.found
	}
	if len(e.known) >= knownMax {
		clear(e.known)
	}
	a = answer{generation: generation, at: now}
	a.hop, a.found = e.ask(destination[:])
	e.known[destination] = a
	return a.hop, a.found
}

// ask finds the neighbour that a packet is sent to, if it is sent by this port.
func (e *exit) ask(destination net.IP) (hop, bool) {
	routes, err := e.fib.kernel.RouteGet(destination)
	if err != nil || len(routes) == 0 || routes[0].LinkIndex != e.port.Index() {
		return hop{}, false
	}
	next := destination
	if routes[0].Gw != nil {
		next = routes[0].Gw
	}
	mac := e.neighbour(next)
	if mac == nil {
		return hop{}, false
	}
	h := hop{mtu: e.port.MTU()}
	copy(h.macs[:6], mac)
	copy(h.macs[6:], e.port.MAC())
	return h, true
}

// neighbour is its MAC address; when it is not known the kernel is told to
// resolve it.
func (e *exit) neighbour(ip net.IP) net.HardwareAddr {
	const valid = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE | netlink.NUD_PERMANENT
	list, err := e.fib.kernel.NeighList(e.port.Index(), unix.AF_INET)
	if err != nil {
		return nil
	}
	for _, n := range list {
		if n.IP.Equal(ip) && n.State&valid != 0 && len(n.HardwareAddr) == 6 {
			return n.HardwareAddr
		}
	}
	_ = e.fib.kernel.NeighSet(&netlink.Neigh{ // asked again with the next packet
		LinkIndex: e.port.Index(), IP: ip, State: netlink.NUD_NONE, Flags: netlink.NTF_USE,
	})
	return nil
}
