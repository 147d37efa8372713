package xdp

import (
	"errors"
	"fmt"
	"sync"
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

// router keeps the programs' cache of next hops true: it moves the generation
// on when the kernel's routes, neighbours, links or addresses change, and has
// the kernel resolve the neighbours that programs want.
type router struct {
	generation *ebpf.Variable
	wanted     *ebpf.Variable
	current    uint32
	events     *nl.NetlinkSocket
	kernel     *netlink.Handle
	changed    chan struct{}
	done       chan struct{}
	running    sync.WaitGroup
}

// startRouter works in the network namespace of the calling thread.
func startRouter(o *upfObjects) (*router, error) {
	r := &router{
		generation: o.Generation, wanted: o.Wanted, current: 1,
		changed: make(chan struct{}, 1), done: make(chan struct{}),
	}
	var err error
	r.events, err = nl.Subscribe(unix.NETLINK_ROUTE, unix.RTNLGRP_LINK, unix.RTNLGRP_NEIGH,
		unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV4_RULE)
	if err != nil {
		return nil, fmt.Errorf("xdp: listen for changes of routes: %w", err)
	}
	if r.kernel, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		r.events.Close()
		return nil, fmt.Errorf("xdp: open a netlink socket: %w", err)
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

// listen reports that something changed; what it was does not matter, and nor
// do messages that were lost for want of buffer (ENOBUFS).
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
			r.refresh()
			time.Sleep(calm)
		case <-refresh.C:
			r.refresh()
		case <-resolve.C:
			r.resolveWanted()
		}
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
