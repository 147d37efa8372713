package xdp

import (
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/upf/datapath"
)

// maxPeers is PEERS_MAX of bpf/rules.h.
const maxPeers = 1 << 16

// peers is the table of gNBs that downlink rules point into.
type peers struct {
	objects *upfObjects // loaded after this is made
	slots   map[netip.Addr]*peer
}

// peer is a gNB. One that no rule uses keeps its slot until the slot is needed.
type peer struct {
	slot uint16
	uses int
}

// hold gives the entries' rules their peers' slots.
func (p *peers) hold(entries []*entry) error {
	for i, e := range entries {
		if err := p.holdOne(e); err != nil {
			p.release(entries[:i])
			return err
		}
	}
	return nil
}

func (p *peers) holdOne(e *entry) error {
	e.slots = make([]uint16, 0, len(e.peers))
	for _, address := range e.peers {
		found := p.slots[address]
		if found == nil {
			var err error
			if found, err = p.add(address); err != nil {
				p.release([]*entry{e})
				return err
			}
		}
		found.uses++
		e.slots = append(e.slots, found.slot)
	}
	if rule, ok := e.value.(*upfDlRule); ok && len(e.rows) == 0 && len(e.slots) > 0 {
		rule.Peer = e.slots[0]
	}
	return nil
}

// release takes back what hold gave.
func (p *peers) release(entries []*entry) {
	for _, e := range entries {
		for _, address := range e.peers[:len(e.slots)] {
			if found := p.slots[address]; found != nil {
				found.uses--
			}
		}
	}
}

func (p *peers) add(address netip.Addr) (*peer, error) {
	slot, err := p.freeSlot()
	if err != nil {
		return nil, fmt.Errorf("xdp: add gNB %v: %w", address, err)
	}
	if err := p.objects.Peers.Update(uint32(slot), wire(address), ebpf.UpdateAny); err != nil {
		return nil, fmt.Errorf("xdp: add gNB %v: %w", address, err)
	}
	p.slots[address] = &peer{slot: slot}
	return p.slots[address], nil
}

// freeSlot takes a slot that was never used, or that of a gNB without rules.
func (p *peers) freeSlot() (uint16, error) {
	if len(p.slots) < maxPeers {
		return uint16(len(p.slots)), nil
	}
	for address, old := range p.slots {
		if old.uses == 0 {
			delete(p.slots, address)
			return old.slot, nil
		}
	}
	return 0, fmt.Errorf("%w: %d gNBs are the most", datapath.ErrFull, maxPeers)
}
