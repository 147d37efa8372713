package xdp

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// blockRows is BLOCK_ROWS of bpf/chain.h.
const blockRows = 2

// chains are the rows of keys, in blocks, and the meters that rows name. A number is
// not used again before all others were, and what has one goes only when no packet can
// be looking for it any more.
type chains struct {
	objects *upfObjects // loaded after this is made
	block   uint32      // the last number given
	meter   uint32
	meters  map[meterKey]*meterUse
	retired []retired
	holds   holds
}

// chain is an entry's rows, which packets are compared with one by one, and where they are.
type chain struct {
	rows   []plan.Row // until they are in blocks
	laid   []upfRow   // those of IPv4, as they are in blocks
	blocks []uint32   // the first is the chain's number
	meters []meterKey
	holds  []uint32
	// borrowed: the blocks are still those of the entry that the key had before.
	borrowed bool
}

// retired is what packets may still be looking for.
type retired struct {
	since  time.Time
	blocks []uint32
	meters []uint32
	holds  []uint32
}

// retirement is well above the time that a packet takes, a pause of its CPU included.
const retirement = 200 * time.Millisecond

func newChains(o *upfObjects) *chains {
	return &chains{objects: o, meters: map[meterKey]*meterUse{}, holds: holds{byNumber: map[uint32]holdKey{}}}
}

// retiredRoom is how many blocks, or meters, may be retired at once: those of 40 000
// modifications a second that each replace four, and then some.
const retiredRoom = 1 << 15

// chainsSize is how many blocks, and how many meters, there is room for.
func chainsSize(keys uint32) uint32 { return 2*keys + retiredRoom }

// build puts an entry's rows into blocks, and its value on the first. old is what the key
// had before, or nil.
func (c *chains) build(e, old *entry, u *usages) error {
	c.sweep(time.Now())
	if e.chain == nil {
		return nil
	}
	rows, err := c.rowsOf(e, u)
	if err != nil {
		c.release([]*entry{e})
		return err
	}
	first, err := c.place(e, old, rows)
	if err != nil {
		c.release([]*entry{e})
		return err
	}
	switch rule := e.value.(type) {
	case *upfUlRule:
		rule.Ue = first
	case *upfUlRule6:
		rule.Chain = first
	case *upfDlRule:
		rule.Teid = first
	}
	e.chain.rows = nil
	return nil
}

// place gives the number of the first block with the rows: of one that is there, where the
// key had the same rows before.
func (c *chains) place(e, old *entry, rows []upfRow) (next uint32, err error) {
	if !e.key.ipv6 {
		e.chain.laid = rows
	}
	if old != nil && old.chain != nil && len(old.chain.blocks) > 0 && !e.key.ipv6 && slices.Equal(old.chain.laid, rows) {
		e.chain.blocks, e.chain.borrowed = old.chain.blocks, true
		return old.chain.blocks[0], nil
	}
	for at := (len(rows) - 1) / blockRows * blockRows; at >= 0 && len(rows) > 0; at -= blockRows {
		if next, err = c.addBlock(e, rows, at, next); err != nil {
			return 0, err
		}
		e.chain.blocks = append([]uint32{next}, e.chain.blocks...)
	}
	return next, nil
}

// passOn makes blocks that were borrowed the new entries'.
func passOn(steps []step) {
	for _, s := range steps {
		if s.new != nil && s.new.chain != nil && s.new.chain.borrowed {
			s.old.chain.blocks, s.new.chain.borrowed = nil, false
		}
	}
}

// addBlock enters the rows from one on as a block.
func (c *chains) addBlock(e *entry, rows []upfRow, at int, next uint32) (number uint32, err error) {
	count := min(blockRows, len(rows)-at)
	if e.key.ipv6 {
		b := upfBlock6{Next: next, Count: uint32(count)}
		for i := range count {
			b.Rows[i] = layOut6(&rows[at+i], &e.chain.rows[at+i])
		}
		err = add(c.objects.Chains6, &c.block, &b)
	} else {
		b := upfBlock{Next: next, Count: uint32(count)}
		copy(b.Rows[:], rows[at:])
		err = add(c.objects.Chains, &c.block, &b)
	}
	if err != nil {
		return 0, fmt.Errorf("xdp: add filters: %w", err)
	}
	return c.block, nil
}

// add enters a value under the next number that is free.
func add(m *ebpf.Map, last *uint32, value any) error {
	for {
		if *last++; *last == 0 {
			*last++
		}
		err := m.Update(*last, value, ebpf.UpdateNoExist)
		switch {
		case errors.Is(err, ebpf.ErrKeyExist):
			continue
		case errors.Is(err, unix.E2BIG), errors.Is(err, unix.ENOMEM):
			return fmt.Errorf("%w: %w: raise max sessions", datapath.ErrFull, err)
		}
		return err
	}
}

// rowsOf lays out an entry's rows.
func (c *chains) rowsOf(e *entry, u *usages) ([]upfRow, error) {
	rows, peer := make([]upfRow, 0, len(e.chain.rows)), 0
	for i := range e.chain.rows {
		p := &e.chain.rows[i]
		row := layOut(p, e.key.ipv6)
		if p.Outer != nil {
			layOutTunnel(&row, p, e.slots[peer], e.key.source == session.Access)
			peer++
		}
		if p.Held {
			row.Verdict, row.Teid = verdictHold, c.holdOf(e, p, false)
		}
		if p.Copied {
			row.Copy = c.holdOf(e, p, true)
		}
		for j, q := range p.Meters {
			k := meterKey{e.seid, q.ID, e.from, plan.RateOf(q, e.from)}
			number, err := c.holdMeter(k)
			if err != nil {
				return nil, err
			}
			e.chain.meters = append(e.chain.meters, k)
			row.Meters[j] = number
		}
		for j, r := range p.URRs {
			row.Usages[j] = u.find(usageKey{e.seid, r.ID}).number
			if r.Limits != (session.Limits{}) {
				row.Limited |= 1 << j
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// holdOf is the number by which packets of a row are handed on.
func (c *chains) holdOf(e *entry, p *plan.Row, isCopy bool) uint32 {
	number := c.holds.add(holdKey{e.seid, p.PDR, isCopy})
	e.chain.holds = append(e.chain.holds, number)
	return number
}

// release retires what entries point at that nothing else does.
func (c *chains) release(entries []*entry) {
	for _, e := range entries {
		if e.chain == nil {
			continue
		}
		if e.chain.borrowed {
			e.chain.blocks = nil
		}
		r := retired{since: time.Now(), blocks: e.chain.blocks, meters: c.releaseMeters(e.chain.meters), holds: e.chain.holds}
		*e.chain = chain{}
		if len(r.blocks)+len(r.meters)+len(r.holds) > 0 {
			c.retired = append(c.retired, r)
		}
	}
}

// sweep removes what was retired long enough ago. A number that cannot be removed takes
// up room, no more.
func (c *chains) sweep(now time.Time) {
	n := 0
	for ; n < len(c.retired) && now.Sub(c.retired[n].since) > retirement; n++ {
		for _, number := range c.retired[n].blocks {
			_ = c.objects.Chains.Delete(number) // it is in one of the two
			_ = c.objects.Chains6.Delete(number)
		}
		for _, number := range c.retired[n].meters {
			_ = c.objects.Meters.Delete(number)
		}
		c.holds.remove(c.retired[n].holds)
	}
	c.retired = c.retired[n:]
}
