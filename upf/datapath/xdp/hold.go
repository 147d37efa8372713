package xdp

import (
	"encoding/binary"
	"sync"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// holds says whose the packets are that rows with BUFF hand over, by the row's number.
type holds struct {
	mu       sync.Mutex
	last     uint32
	byNumber map[uint32]holdKey
	to       func(datapath.Held)
}

type holdKey struct {
	seid uint64
	pdr  uint16
	copy bool
}

// add gives a row its number.
func (h *holds) add(k holdKey) uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		if h.last++; h.last == 0 {
			continue
		}
		if _, taken := h.byNumber[h.last]; !taken {
			h.byNumber[h.last] = k
			return h.last
		}
	}
}

func (h *holds) remove(numbers []uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range numbers {
		delete(h.byNumber, n)
	}
}

// heldHeader is what comes before the packet in struct held of bpf/hold.h.
const heldHeader = 12

// listen hands packets on until the reader is closed.
func (h *holds) listen(packets *ringbuf.Reader) {
	var record ringbuf.Record
	for packets.ReadInto(&record) == nil {
		b := record.RawSample
		if len(b) < heldHeader {
			continue
		}
		number, length := binary.NativeEndian.Uint32(b), int(binary.NativeEndian.Uint32(b[4:]))
		if length > len(b)-heldHeader {
			continue
		}
		h.mu.Lock()
		k, known := h.byNumber[number]
		to := h.to
		h.mu.Unlock()
		if known && to != nil {
			mark := b[8]
			to(datapath.Held{SEID: k.seid, PDR: k.pdr, Copy: k.copy, QFI: mark & session.MaxQFI, RQI: mark&rqi != 0,
				TPDU: b[heldHeader : heldHeader+length]})
		}
	}
}

// OnHold implements datapath.Holder.
func (d *Datapath) OnHold(f func(datapath.Held)) {
	d.chains.holds.mu.Lock()
	defer d.chains.holds.mu.Unlock()
	d.chains.holds.to = f
}

// Count implements datapath.Holder.
func (d *Datapath) Count(seid uint64, urr uint32, c session.Count) {
	d.usages.mu.Lock()
	defer d.usages.mu.Unlock()
	if use := d.usages.byKey[usageKey{seid, urr}]; use != nil {
		use.more.Packets += c.Packets
		use.more.Octets += c.Octets
	}
}
