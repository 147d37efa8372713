// Package nexthop keeps what the XDP programs know of their surroundings true: next hops, neighbours, the machine's own
// addresses and MAC addresses, and the MTU of the links that packets leave by.
package nexthop

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// How often the router looks after the programs' next hops. A kernel event
// that is lost, or comes in a storm, costs one period of stale next hops.
const (
	resolvePeriod = 100 * time.Millisecond
	refreshPeriod = time.Second
	calm          = 10 * time.Millisecond // after a refresh that an event asked for
)

// peersWaiting is how many ends of tunnels wait to be resolved.
const peersWaiting = 1024

// Programs are the maps and variables that programs and router share, of bpf/route.h and bpf/own.h.
type Programs struct {
	Generation, Unresolved *ebpf.Variable
	Wanted, Wanted6        *ebpf.Variable
	Used, Used6            *ebpf.Variable
	Addresses, Addresses6  *ebpf.Map
}

// Port is an interface of the programs, and where they have its MAC address.
type Port struct {
	Name  string
	Index int
	MAC   *ebpf.Variable
}

// Router keeps the programs' cache of next hops true: it moves the generation
// on when the kernel's routes, neighbours, links or addresses change, has the
// kernel resolve the neighbours that programs want, and probe those that they
// use.
type Router struct {
	programs Programs
	own      ownAddresses[uint32]
	own6     ownAddresses[address6]
	probes   probes
	egress   egress
	macs     []*mac
	current  uint32
	events   *nl.NetlinkSocket
	kernel   *netlink.Handle
	changed  chan struct{}
	peers    chan netip.Addr // to be resolved before packets go to them
	done     chan struct{}
	running  sync.WaitGroup
}

// egress are the links that uplink packets leave by.
type egress struct {
	links    []uint32
	smallest atomic.Int32 // of their MTUs, octets, as the kernel last said; 0: it could not be read
}

// MTU is the smallest of the links that uplink packets leave by, octets; 0: it could not be read.
func (r *Router) MTU() int { return int(r.egress.smallest.Load()) }

func (e *egress) read(kernel *netlink.Handle) {
	smallest := 0
	for _, index := range e.links {
		if link, err := kernel.LinkByIndex(int(index)); err == nil && (smallest == 0 || link.Attrs().MTU < smallest) {
			smallest = link.Attrs().MTU
		}
	}
	e.smallest.Store(int32(smallest))
}

// Start works in the network namespace of the calling thread. links are those that uplink packets leave by; a next hop
// in use is probed each probeEvery, or, where that is 0, each 5 s.
func Start(programs Programs, ports []Port, links []uint32, probeEvery time.Duration) (*Router, error) {
	if probeEvery == 0 {
		probeEvery = probePeriod
	}
	r := &Router{
		egress: egress{links: links}, macs: macsOf(ports), programs: programs, current: 1,
		own: ownAddresses[uint32]{programs.Addresses, map[uint32]bool{}}, own6: ownAddresses[address6]{programs.Addresses6, map[address6]bool{}},
		probes:  probes{every: probeEvery, last: map[nextHop]time.Time{}},
		changed: make(chan struct{}, 1), peers: make(chan netip.Addr, peersWaiting), done: make(chan struct{}),
	}
	var err error
	r.events, err = nl.Subscribe(unix.NETLINK_ROUTE, unix.RTNLGRP_LINK, unix.RTNLGRP_NEIGH,
		unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV4_RULE,
		unix.RTNLGRP_IPV6_IFADDR, unix.RTNLGRP_IPV6_ROUTE, unix.RTNLGRP_IPV6_RULE)
	if err != nil {
		return nil, fmt.Errorf("xdp: listen for changes of routes: %w", err)
	}
	if r.kernel, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		r.events.Close()
		return nil, fmt.Errorf("xdp: open a netlink socket: %w", err)
	}
	r.syncAddresses()
	r.egress.read(r.kernel)
	if err := r.readMACs(); err != nil {
		r.events.Close()
		r.kernel.Close()
		return nil, err
	}
	r.running.Go(r.listen)
	r.running.Go(r.run)
	return r, nil
}

// Stop ends what Start began.
func (r *Router) Stop() {
	close(r.done)
	r.events.Close()
	r.running.Wait()
	r.kernel.Close()
}

// Prepare has the kernel resolve the end of a tunnel that packets are about to go into. Where too
// many wait the first packet has it resolved.
func (r *Router) Prepare(address netip.Addr) {
	select {
	case r.peers <- address:
	default:
	}
}

// listen reports that something changed; what it was does not matter, and nor
// do messages that were lost because the buffer was full (ENOBUFS).
func (r *Router) listen() {
	for {
		_, _, err := r.events.Receive()
		if err != nil && !errors.Is(err, unix.ENOBUFS) {
			return
		}
		select {
		case r.changed <- struct{}{}:
		default:
		}
	}
}

func (r *Router) run() {
	resolve, refresh := time.NewTicker(resolvePeriod), time.NewTicker(refreshPeriod)
	defer resolve.Stop()
	defer refresh.Stop()
	for {
		select {
		case <-r.done:
			return
		case <-r.changed:
			_ = r.readMACs() // first: frames to a new address pass all sessions; an interface that is gone receives nothing
			r.syncAddresses()
			r.egress.read(r.kernel)
			r.refresh()
			time.Sleep(calm)
		case now := <-refresh.C:
			r.egress.read(r.kernel)
			_ = r.readMACs()
			r.refresh()
			r.probeUsed(now)
		case address := <-r.peers:
			r.resolvePeers(address)
		case <-resolve.C:
			r.resolveWanted()
		}
	}
}

// resolvePeers resolves the end of a tunnel, and those that wait with it: the neighbours of a link are
// listed once for all.
func (r *Router) resolvePeers(address netip.Addr) {
	known := neighbours{}
	r.resolve(address.AsSlice(), known)
	for range len(r.peers) { // those of now: more would keep other work waiting
		r.resolve((<-r.peers).AsSlice(), known)
	}
}

// refresh makes every cached next hop stale.
func (r *Router) refresh() {
	if r.current++; r.current == 0 {
		r.current = 1
	}
	// A write to mapped memory: it cannot fail once the first has worked, and
	// the first is that of the loader.
	_ = r.programs.Generation.Set(r.current)
}
