package xdp

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// build puts the rows of a step's new entry where packets find them, and its rule on the first. On an error
// the entry has some of what it names, which release takes back.
func (c *chains) build(s step, u *usages) error {
	c.sweep(time.Now())
	if !s.new.isChain() {
		return nil
	}
	rows, err := c.rowsOf(s, u)
	if err != nil {
		return err
	}
	place := c.place
	if s.key.ipv6 {
		place = c.placeBlocks
	}
	first, err := place(s, rows)
	if err != nil {
		return err
	}
	s.new.rule = s.new.rule.withChain(first)
	return nil
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
			row.Usages[j] = u.find(usageKey{e.seid, r.Key()}).number
			if r.Limits != (session.Limits{}) {
				row.Limited |= 1 << j
			}
			if r.Asked.QuotaFAR != 0 {
				row.Limited |= limitedAction << j
			}
		}
		if len(p.Instead) > 0 {
			row.Limited |= limitedAction // also of one that counts nothing
		}
		if p.Of != nil {
			row.Spi = u.find(usageKey{e.seid, p.Of.Key()}).number
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// limitedAction is the bit of a row's first usage: 1 << LIMITED_ACTION of bpf/chain.h.
const limitedAction = 1 << 4

// blockRows is BLOCK_ROWS of bpf/chain6.h.
const blockRows = 2

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
	rows = layInstead(s.rows, rows)
	if old != nil && old.chain != nil && c.holdsRows(old.chain.numbers, rows) {
		e.chain.numbers, e.chain.borrowed = old.chain.numbers, true
		return old.chain.numbers[0], nil
	}
	e.chain.numbers = make([]uint32, 0, len(rows))
	lines := make([]*upfLine, 0, len(rows))
	for range rows {
		number, line, err := c.rows.Take()
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

// limit has packets of an entry's rows look at the limits of a usage, which those of rules without limits do not.
func (c *chains) limit(e *entry, usage uint32) {
	if e.chain == nil {
		return
	}
	for _, number := range e.chain.numbers {
		if !e.key.ipv6 {
			limitRow(&c.rows.At(number).Row, usage)
			continue
		}
		b := c.blocks.At(number)
		for i := range b.Rows {
			limitRow(&b.Rows[i].Row, usage)
		}
	}
}

func limitRow(r *upfRow, usage uint32) {
	for i, number := range r.Usages {
		if number == usage {
			r.Limited |= 1 << i
		}
	}
}

// layInstead is layTree of the rows that packets are compared with, and after them those that go for them instead: a row
// names the first of its own as the other, and each of these the next.
func layInstead(planned []plan.Row, rows []upfRow) []upfRow {
	matched := plan.Matched(planned)
	for i := range rows[:matched] {
		for j, at := range planned[i].Instead {
			if rows[at].Other = 0; j+1 < len(planned[i].Instead) {
				rows[at].Other = uint32(at+1-matched) + 1
			}
		}
		if list := planned[i].Instead; len(list) > 0 {
			rows[i].Other = uint32(list[0]-matched) + 1
		}
	}
	all := slices.Concat(layTree(rows[:matched:matched]), rows[matched:])
	tree := uint32(len(all) - len(rows) + matched)
	for i := range all {
		if r := &all[i]; r.Other != 0 && r.Verdict != verdictBranch {
			r.Other += tree
		}
	}
	return all
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
		if c.rows.At(numbers[i]).Row != linked(rows[i], numbers) {
			return false
		}
	}
	return true
}

// placeBlocks is place for rows of IPv6, in blocks.
func (c *chains) placeBlocks(s step, rows []upfRow) (next uint32, err error) {
	matched := plan.Matched(s.rows)
	if err := c.placeInstead(s, rows, matched); err != nil {
		return 0, err
	}
	rows = rows[:matched]
	for at := (len(rows) - 1) / blockRows * blockRows; at >= 0 && len(rows) > 0; at -= blockRows {
		if next, err = c.addBlock(s.rows, rows, at, next); err != nil {
			return 0, err
		}
		s.new.chain.numbers = append([]uint32{next}, s.new.chain.numbers...)
	}
	return next, nil
}

// placeInstead places the rows that go for others, each in a block that no packet is compared with.
func (c *chains) placeInstead(s step, rows []upfRow, matched int) error {
	numbers := make([]uint32, len(rows))
	for at := len(rows) - 1; at >= matched; at-- {
		if at+1 < len(rows) && s.rows[at+1].PDR == s.rows[at].PDR {
			rows[at].Other = numbers[at+1]
		}
		number, b, err := c.blocks.Take()
		if err != nil {
			return fmt.Errorf("xdp: add a quota action: %w", err)
		}
		*b = upfBlock6{Rows: [blockRows]upfRow6{{Row: rows[at]}}}
		s.new.chain.numbers, numbers[at] = append(s.new.chain.numbers, number), number
	}
	for i := range rows[:matched] {
		if list := s.rows[i].Instead; len(list) > 0 {
			rows[i].Other = numbers[list[0]]
		}
	}
	return nil
}

// addBlock enters the rows from one on as a block.
func (c *chains) addBlock(planned []plan.Row, rows []upfRow, at int, next uint32) (number uint32, err error) {
	count := min(blockRows, len(rows)-at)
	b := upfBlock6{Next: next, Count: uint32(count)}
	for i := range count {
		b.Rows[i] = layOut6(&rows[at+i], &planned[at+i])
	}
	number, entry, err := c.blocks.Take()
	if err != nil {
		return 0, fmt.Errorf("xdp: add filters: %w", err)
	}
	*entry = b
	return number, nil
}

// passOn makes numbers that were borrowed the new entries'.
func passOn(steps []step) {
	for _, s := range steps {
		if s.new != nil && s.new.chain != nil && s.new.chain.borrowed {
			s.old.chain.numbers, s.new.chain.borrowed = nil, false
		}
	}
}
