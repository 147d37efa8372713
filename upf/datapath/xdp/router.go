package xdp

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

// router keeps the programs' cache of next hops true: it moves the generation
// on when the kernel's routes, neighbours, links or addresses change, has the
// kernel resolve the neighbours that programs want, and probe those that they
// use.
type router struct {
	generation *ebpf.Variable
	wanted     *ebpf.Variable
	wanted6    *ebpf.Variable
	unresolved *ebpf.Variable // packets that the kernel had meanwhile
	used       *ebpf.Variable
	used6      *ebpf.Variable
	own        ownAddresses[uint32]
	own6       ownAddresses[upfAddr6]
	probes     probes
	egress     egress
	macs       []*mac
	current    uint32
	events     *nl.NetlinkSocket
	kernel     *netlink.Handle
	changed    chan struct{}
	peers      chan netip.Addr // to be resolved before packets go to them
	done       chan struct{}
	running    sync.WaitGroup
}

// egress are the links that uplink packets leave by.
type egress struct {
	links    []uint32
	smallest atomic.Int32 // of their MTUs, octets, as the kernel last said; 0: it could not be read
}

func (e *egress) mtu() int { return int(e.smallest.Load()) }

func (e *egress) read(kernel *netlink.Handle) {
	smallest := 0
	for _, index := range e.links {
		if link, err := kernel.LinkByIndex(int(index)); err == nil && (smallest == 0 || link.Attrs().MTU < smallest) {
			smallest = link.Attrs().MTU
		}
	}
	e.smallest.Store(int32(smallest))
}

// startRouter works in the network namespace of the calling thread.
func startRouter(o *upfObjects, ports []port, links []uint32, probeEvery time.Duration) (*router, error) {
	r := &router{
		egress:     egress{links: links},
		macs:       macsOf(o, ports),
		generation: o.Generation, wanted: o.Wanted, wanted6: o.Wanted6, unresolved: o.Unresolved, used: o.Used, used6: o.Used6, current: 1,
		own: ownAddresses[uint32]{o.OwnAddresses, map[uint32]bool{}}, own6: ownAddresses[upfAddr6]{o.OwnAddresses6, map[upfAddr6]bool{}},
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

func (r *router) stop() {
	close(r.done)
	r.events.Close()
	r.running.Wait()
	r.kernel.Close()
}

// prepare has the kernel resolve the end of a tunnel that packets are about to go into. Where too
// many wait the first packet has it resolved.
func (r *router) prepare(address netip.Addr) {
	select {
	case r.peers <- address:
	default:
	}
}

// listen reports that something changed; what it was does not matter, and nor
// do messages that were lost because the buffer was full (ENOBUFS).
func (r *router) listen() {
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

func (r *router) run() {
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
func (r *router) resolvePeers(address netip.Addr) {
	known := neighbours{}
	r.resolve(address.AsSlice(), known)
	for range len(r.peers) { // those of now: more would keep other work waiting
		r.resolve((<-r.peers).AsSlice(), known)
	}
}

// refresh makes every cached next hop stale.
func (r *router) refresh() {
	if r.current++; r.current == 0 {
		r.current = 1
	}
	// A write to mapped memory: it cannot fail once the first has worked, and
	// the first is that of the loader.
	_ = r.generation.Set(r.current)
}
