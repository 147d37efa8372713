package xdp

import (
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
)

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

// hold gives an entry the peers of its rows, on an error those before it.
func (p *peers) hold(e *entry, rows []plan.Row) error {
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
