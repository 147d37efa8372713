package xdp

import (
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/upf/datapath"
)

// maxPeers is PEERS_MAX of bpf/rules.h, and the size of the table of those with IPv6.
const maxPeers = 1 << 16

// peers are the tables of gNBs that downlink rules point into: one of each family.
type peers struct {
	objects   *upfObjects // loaded after this is made
	four, six map[netip.Addr]*peer
}

// peer is a gNB. One that no rule uses keeps its slot until the slot is needed.
type peer struct {
	slot uint16
	uses int
}

func newPeers(o *upfObjects) peers {
	return peers{objects: o, four: map[netip.Addr]*peer{}, six: map[netip.Addr]*peer{}}
}

// of are the slots of the address's family.
func (p *peers) of(address netip.Addr) map[netip.Addr]*peer {
	if address.Is6() {
		return p.six
	}
	return p.four
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
		found := p.of(address)[address]
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
	if rule, ok := e.value.(*upfDlRule); ok && e.chain == nil && len(e.slots) > 0 {
		rule.Peer = e.slots[0]
	}
	return nil
}

// release takes back what hold gave.
func (p *peers) release(entries []*entry) {
	for _, e := range entries {
		for _, address := range e.peers[:len(e.slots)] {
			if found := p.of(address)[address]; found != nil {
				found.uses--
			}
		}
	}
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
	slots[address] = &peer{slot: slot}
	return slots[address], nil
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
