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

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
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
func startRouter(o *upfObjects, links []uint32, probeEvery time.Duration) (*router, error) {
	r := &router{
		egress:     egress{links: links},
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
			r.syncAddresses()
			r.egress.read(r.kernel)
			r.refresh()
			time.Sleep(calm)
		case now := <-refresh.C:
			r.egress.read(r.kernel)
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

// maxPeers is PEERS_MAX of bpf/rules.h, and the size of the table of those with IPv6.
const maxPeers = 1 << 16

// peers are the tables of gNBs that downlink rules point into: one of each family.
type peers struct {
	objects   *upfObjects // loaded after this is made
	four, six map[netip.Addr]*peer
	byNumber  map[peerNumber]*peer
	prepare   func(netip.Addr) // is told of one that is used again, or for the first time
}

// peer is a gNB. One that no rule uses keeps its slot until the slot is needed.
type peer struct {
	number peerNumber
	slot   uint16
	uses   int
}

// peerNumber is a peer's slot and family: a pointer of four octets; 0: none.
type peerNumber uint32

func numberOf(address netip.Addr, slot uint16) peerNumber {
	if address.Is6() {
		return peerNumber(slot) | 3<<16
	}
	return peerNumber(slot) | 1<<16
}

func newPeers(o *upfObjects) peers {
	return peers{objects: o, four: map[netip.Addr]*peer{}, six: map[netip.Addr]*peer{}, byNumber: map[peerNumber]*peer{}}
}

// of are the slots of the address's family.
func (p *peers) of(address netip.Addr) map[netip.Addr]*peer {
	if address.Is6() {
		return p.six
	}
	return p.four
}

// hold gives the steps' new entries their peers.
func (p *peers) hold(steps []step) error {
	for i, s := range steps {
		if s.new == nil {
			continue
		}
		if err := p.holdOne(s.new, s.rows); err != nil {
			_, held := entriesOf(steps[:i+1])
			p.release(held)
			return err
		}
	}
	return nil
}

func (p *peers) holdOne(e *entry, rows []plan.Row) error {
	for i := range rows {
		if rows[i].Outer == nil {
			continue
		}
		found, err := p.find(rows[i].Outer.Peer)
		if err != nil {
			return err
		}
		if found.uses++; found.uses == 1 && p.prepare != nil {
			p.prepare(rows[i].Outer.Peer)
		}
		if e.isChain() {
			e.chain.peers = append(e.chain.peers, found)
		} else {
			e.peer, e.rule = found.number, e.rule.withPeer(found.slot)
		}
	}
	return nil
}

// release takes back what hold gave.
func (p *peers) release(entries []*entry) {
	for _, e := range entries {
		if one := p.byNumber[e.peer]; one != nil {
			one.uses--
		}
		if e.chain == nil {
			continue
		}
		for _, one := range e.chain.peers {
			one.uses--
		}
	}
}

// find is the peer with an address, which it adds where there is none.
func (p *peers) find(address netip.Addr) (*peer, error) {
	if found := p.of(address)[address]; found != nil {
		return found, nil
	}
	return p.add(address)
}

func (p *peers) add(address netip.Addr) (*peer, error) {
	slots := p.of(address)
	slot, err := freeSlot(slots)
	if err == nil {
		err = p.write(slot, address)
	}
	if err != nil {
		return nil, fmt.Errorf("xdp: add gNB %v: %w", address, err)
	}
	one := &peer{slot: slot, number: numberOf(address, slot)}
	slots[address], p.byNumber[one.number] = one, one
	return one, nil
}

func (p *peers) write(slot uint16, address netip.Addr) error {
	if address.Is6() {
		return p.objects.Peers6.Update(uint32(slot), wire6(address.As16()), ebpf.UpdateAny)
	}
	return p.objects.Peers.Update(uint32(slot), wire(address), ebpf.UpdateAny)
}

// freeSlot takes a slot that was never used, or that of a gNB without rules.
func freeSlot(slots map[netip.Addr]*peer) (uint16, error) {
	if len(slots) < maxPeers {
		return uint16(len(slots)), nil
	}
	for address, old := range slots {
		if old.uses == 0 {
			delete(slots, address)
			return old.slot, nil
		}
	}
	return 0, fmt.Errorf("%w: %d gNBs are the most", datapath.ErrFull, maxPeers)
}
