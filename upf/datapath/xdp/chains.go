package xdp

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// blockRows is BLOCK_ROWS of bpf/chain6.h.
const blockRows = 2

// chains are the rows of keys, and the meters that rows name. A number is used again only when
// no packet can be looking for what had it any more.
type chains struct {
	objects *upfObjects // loaded after this is made
	rows    *pages[upfLine]
	blocks  *pages[upfBlock6] // of IPv6 rows
	rates   *pages[upfMeter]
	meters  map[meterKey]meterUse
	usages  *pages[upfUsage]
	limits  *pages[upfUsageLimits] // by the numbers of usages
	retired []retired
	holds   holds
}

// chain is where an entry's rows are, which packets are compared with one by one, and what they
// name. The plain rule of IPv6 uplink packets has a UE's prefix instead.
type chain struct {
	numbers []uint32 // of the rows, of IPv6 of blocks; the first is the chain's
	meters  []meterKey
	peers   []*peer
	*chainExtras
	// borrowed: the numbers are still those of the entry that the key had before.
	borrowed bool
}

// chainExtras are what few chains have; nil where none of them is set.
type chainExtras struct {
	holds []uint32
	ue    netip.Prefix
}

func (c *chain) extra() *chainExtras {
	if c.chainExtras == nil {
		c.chainExtras = &chainExtras{}
	}
	return c.chainExtras
}

// retired is what packets may still be looking for.
type retired struct {
	since  time.Time
	rows   []uint32
	blocks []uint32
	meters []uint32
	usages []uint32
	holds  []uint32
}

// retirement is well above the time that a packet takes, a pause of its CPU included.
const retirement = 200 * time.Millisecond

func newChains(o *upfObjects) *chains {
	return &chains{objects: o, meters: map[meterKey]meterUse{}, holds: holds{byNumber: map[uint32]holdKey{}}}
}

// retiredRoom is how many rows, or meters, may be retired at once: those of 40 000
// modifications a second that each replace four, and then some.
const retiredRoom = 1 << 15

// chainsSize is how many blocks of rows, and how many meters, there is room for.
func chainsSize(keys uint32) uint32 { return 2*keys + retiredRoom }

// rowsSize is how many rows there is room for.
func rowsSize(keys uint32) uint32 { return blockRows * chainsSize(keys) }

// open opens the tables, which are loaded now.
func (c *chains) open(sessions int) (err error) {
	keys := uint32(tableSize(sessions))
	if c.rows, err = newPages[upfLine](c.objects.Chains, rowsSize(keys)); err == nil {
		c.rates, err = newPages[upfMeter](c.objects.Meters, chainsSize(keys))
	}
	if err == nil {
		c.usages, err = newPages[upfUsage](c.objects.Usages, chainsSize(keys))
	}
	if err == nil {
		c.limits, err = newPages[upfUsageLimits](c.objects.Limits, chainsSize(keys))
	}
	if err == nil {
		c.blocks, err = newPagesOf[upfBlock6](c.objects.Chains6, chainsSize(keys), blockPageEntries)
	}
	return err
}

// close gives the tables up.
func (c *chains) close() {
	c.rows.close()
	c.blocks.close()
	c.rates.close()
	c.usages.close()
	c.limits.close()
}

// build puts the rows of a step's new entry where packets find them, and its rule on the first.
func (c *chains) build(s step, u *usages) error {
	c.sweep(time.Now())
	if !s.new.isChain() {
		return nil
	}
	rows, err := c.rowsOf(s, u)
	if err != nil {
		c.release([]*entry{s.new})
		return err
	}
	place := c.place
	if s.key.ipv6 {
		place = c.placeBlocks
	}
	first, err := place(s, rows)
	if err != nil {
		c.release([]*entry{s.new})
		return err
	}
	s.new.rule = s.new.rule.withChain(first)
	return nil
}

// place gives the number of the first of the rows: of one that is there, where the key had the
// same rows before.
func (c *chains) place(s step, rows []upfRow) (first uint32, err error) {
	e, old := s.new, s.old
	if len(rows) == 0 {
		return 0, nil
	}
	for i := range rows {
		rows[i].Key = e.key.ofRows()
	}
	rows = layTree(rows)
	if old != nil && old.chain != nil && c.holdsRows(old.chain.numbers, rows) {
		e.chain.numbers, e.chain.borrowed = old.chain.numbers, true
		return old.chain.numbers[0], nil
	}
	e.chain.numbers = make([]uint32, 0, len(rows))
	lines := make([]*upfLine, 0, len(rows))
	for range rows {
		number, line, err := c.rows.take()
		if err != nil {
			return 0, fmt.Errorf("xdp: add filters: %w", err)
		}
		e.chain.numbers, lines = append(e.chain.numbers, number), append(lines, line)
	}
	for i, line := range lines {
		line.Row = linked(rows[i], e.chain.numbers)
	}
	return e.chain.numbers[0], nil
}

// linked is a row whose links are numbers, and not indexes from 1 on.
func linked(row upfRow, numbers []uint32) upfRow {
	for _, link := range [...]*uint32{&row.Next, &row.Other} {
		if *link != 0 {
			*link = numbers[*link-1]
		}
	}
	return row
}

// holdsRows reports whether these are the numbers of the same rows.
func (c *chains) holdsRows(numbers []uint32, rows []upfRow) bool {
	if len(numbers) != len(rows) {
		return false
	}
	for i := range rows {
		if c.rows.at(numbers[i]).Row != linked(rows[i], numbers) {
			return false
		}
	}
	return true
}

// placeBlocks is place for rows of IPv6, in blocks.
func (c *chains) placeBlocks(s step, rows []upfRow) (next uint32, err error) {
	for at := (len(rows) - 1) / blockRows * blockRows; at >= 0 && len(rows) > 0; at -= blockRows {
		if next, err = c.addBlock(s.rows, rows, at, next); err != nil {
			return 0, err
		}
		s.new.chain.numbers = append([]uint32{next}, s.new.chain.numbers...)
	}
	return next, nil
}

// passOn makes numbers that were borrowed the new entries'.
func passOn(steps []step) {
	for _, s := range steps {
		if s.new != nil && s.new.chain != nil && s.new.chain.borrowed {
			s.old.chain.numbers, s.new.chain.borrowed = nil, false
		}
	}
}

// addBlock enters the rows from one on as a block.
func (c *chains) addBlock(planned []plan.Row, rows []upfRow, at int, next uint32) (number uint32, err error) {
	count := min(blockRows, len(rows)-at)
	b := upfBlock6{Next: next, Count: uint32(count)}
	for i := range count {
		b.Rows[i] = layOut6(&rows[at+i], &planned[at+i])
	}
	number, entry, err := c.blocks.take()
	if err != nil {
		return 0, fmt.Errorf("xdp: add filters: %w", err)
	}
	*entry = b
	return number, nil
}

// rowsOf lays out the rows of a step's new entry.
func (c *chains) rowsOf(s step, u *usages) ([]upfRow, error) {
	e, rows, peer := s.new, make([]upfRow, 0, len(s.rows)), 0
	for i := range s.rows {
		p := &s.rows[i]
		row := layOut(p, e.key.ipv6)
		if p.Outer != nil {
			layOutTunnel(&row, p, e.chain.peers[peer].slot, e.key.source == session.Access)
			peer++
		}
		if p.Held {
			row.Verdict, row.Teid = verdictHold, c.holdOf(e, p, false)
		}
		if p.Copied {
			row.Flags, row.Copy = row.Flags|rowCopy, c.holdOf(e, p, true)
		}
		for j, q := range p.Meters {
			k := meterKey{e.seid, plan.RateOf(q, e.from).Packed(), q.ID, e.from}
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
	x := e.chain.extra()
	x.holds = append(x.holds, number)
	return number
}

// release retires what entries point at that nothing else does.
func (c *chains) release(entries []*entry) {
	for _, e := range entries {
		if e.chain == nil {
			continue
		}
		if e.chain.borrowed {
			e.chain.numbers = nil
		}
		r := retired{rows: e.chain.numbers, meters: c.releaseMeters(e.chain.meters)}
		if x := e.chain.chainExtras; x != nil {
			r.holds, x.holds = x.holds, nil
		}
		if e.key.ipv6 {
			r.rows, r.blocks = nil, r.rows
		}
		e.chain.numbers, e.chain.meters, e.chain.borrowed = nil, nil, false
		c.retire(r)
	}
}

// retire has numbers go when no packet can be looking for them.
func (c *chains) retire(r retired) {
	if len(r.rows)+len(r.blocks)+len(r.meters)+len(r.usages)+len(r.holds) > 0 {
		r.since = time.Now()
		c.retired = append(c.retired, r)
	}
}

// sweep removes what was retired long enough ago. A number that cannot be removed takes
// up room, no more.
func (c *chains) sweep(now time.Time) {
	n := 0
	for ; n < len(c.retired) && now.Sub(c.retired[n].since) > retirement; n++ {
		r := &c.retired[n]
		for _, number := range r.rows {
			c.cutRow(number)
		}
		for _, number := range r.blocks {
			c.cutBlock(number)
		}
		c.rows.give(r.rows...)
		c.blocks.give(r.blocks...)
		c.rates.give(r.meters...)
		c.usages.give(r.usages...)
		c.holds.remove(r.holds)
	}
	c.retired = c.retired[n:]
}

// cutRow has packets find the row no more.
func (c *chains) cutRow(number uint32) { atomic.StoreUint32(&c.rows.at(number).Row.Key, 0) }

// cutBlock is cutRow for a block of IPv6 rows, and those after it.
func (c *chains) cutBlock(number uint32) {
	b := c.blocks.at(number)
	atomic.StoreUint32(&b.Next, 0)
	atomic.StoreUint32(&b.Count, 0)
}
