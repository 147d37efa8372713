package xdp

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/datapath/xdp/pages"
	"github.com/upflab/upflab/upf/session"
)

// blockPageEntries are those of a page of blocks, 1 << BLOCK_PAGE_BITS of bpf/chain6.h.
const blockPageEntries = 1 << 11

// chains are the rows of keys, and the meters that rows name. A number is used again only when
// no packet can be looking for what had it any more.
type chains struct {
	objects *upfObjects // loaded after this is made
	rows    *pages.Table[upfLine]
	blocks  *pages.Table[upfBlock6] // of IPv6 rows
	rates   *pages.Table[upfMeter]
	meters  map[meterKey]meterUse
	usages  *pages.Table[upfUsage]
	limits  *pages.Table[upfUsageLimits] // by the numbers of usages
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
	if c.rows, err = pages.Open[upfLine](c.objects.Chains, rowsSize(keys)); err == nil {
		c.rates, err = pages.Open[upfMeter](c.objects.Meters, chainsSize(keys))
	}
	if err == nil {
		c.usages, err = pages.Open[upfUsage](c.objects.Usages, chainsSize(keys))
	}
	if err == nil {
		c.limits, err = pages.Open[upfUsageLimits](c.objects.Limits, chainsSize(keys))
	}
	if err == nil {
		c.blocks, err = pages.OpenOf[upfBlock6](c.objects.Chains6, chainsSize(keys), blockPageEntries)
	}
	return err
}

// close gives the tables up.
func (c *chains) close() {
	c.rows.Close()
	c.blocks.Close()
	c.rates.Close()
	c.usages.Close()
	c.limits.Close()
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
		c.rows.Give(r.rows...)
		c.blocks.Give(r.blocks...)
		c.rates.Give(r.meters...)
		c.usages.Give(r.usages...)
		c.holds.remove(r.holds)
	}
	c.retired = c.retired[n:]
}

// cutRow has packets find the row no more.
func (c *chains) cutRow(number uint32) { atomic.StoreUint32(&c.rows.At(number).Row.Key, 0) }

// cutBlock is cutRow for a block of IPv6 rows, and those after it.
func (c *chains) cutBlock(number uint32) {
	b := c.blocks.At(number)
	atomic.StoreUint32(&b.Next, 0)
	atomic.StoreUint32(&b.Count, 0)
}

// cut removes the first rows of chains that no rule names any more: who looks for
// them now finds none.
func (c *chains) cut(entries []*entry) {
	for _, e := range entries {
		switch {
		case e.chain == nil || len(e.chain.numbers) == 0:
		case e.key.ipv6:
			c.cutBlock(e.chain.numbers[0])
		default:
			c.cutRow(e.chain.numbers[0])
		}
	}
}

// meterKey is whose meter it is: the PDRs of a session that name a QER share one for
// each direction. It goes on as long as the rate and its window are the same.
type meterKey struct {
	seid uint64
	rate uint64 // plan.Rate, packed
	qer  uint32
	from session.Interface
}

// meterUse is a meter's number, and how many rows name it.
type meterUse struct{ number, uses uint32 }

// holdMeter gives the number of a meter, which it makes when there is none.
func (c *chains) holdMeter(k meterKey) (uint32, error) {
	use := c.meters[k]
	if use.uses == 0 {
		number, m, err := c.rates.Take()
		if err != nil {
			return 0, fmt.Errorf("xdp: add the meter of QER %d: %w", k.qer, err)
		}
		*m = upfMeter{Rate: k.rate}
		use.number = number
	}
	use.uses++
	c.meters[k] = use
	return use.number, nil
}

// releaseMeters takes rows' uses back and gives the numbers of meters that have none
// left.
func (c *chains) releaseMeters(keys []meterKey) (unused []uint32) {
	for _, k := range keys {
		use := c.meters[k]
		if use.uses--; use.uses == 0 {
			unused = append(unused, use.number)
			delete(c.meters, k)
			continue
		}
		c.meters[k] = use
	}
	return unused
}

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
