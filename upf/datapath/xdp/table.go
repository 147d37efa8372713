package xdp

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
)

// table is what the rule maps hold, and whose it is.
type table struct {
	max      int // entries a map
	ends     ends
	count    map[tableID]int
	lengths  lengths
	records  records
	chains   map[uint32]*chain // of those records that have one
	short    map[shortKey]uint32
	prefixes map[key]uint32    // of IPv6, and IPv4 networks
	sessions map[uint64]uint32 // the first record of each, by SEID; 0: it has none
}

func newTable(max int) *table {
	return &table{
		max:      max,
		count:    map[tableID]int{},
		lengths:  lengths{},
		chains:   map[uint32]*chain{},
		short:    map[shortKey]uint32{},
		prefixes: map[key]uint32{},
		sessions: map[uint64]uint32{},
	}
}

// tableSize is a map's size: what a batch adds is there before what it removes
// goes. With a million sessions it stays below a power of two, by which the kernel makes the
// buckets of its hash maps.
func tableSize(sessions int) int { return sessions + batchRoom }

// batchRoom is how many keys a batch may add before others go.
const batchRoom = 1 << 12

// step changes one key of a rule map. old and new are nil for no entry.
type step struct {
	key      key
	old, new *entry
	number   uint32     // of the record of old
	rows     []plan.Row // of new
}

// keeps reports whether the map holds what it shall.
func (s step) keeps() bool {
	if s.old == nil || s.new == nil {
		return false
	}
	return s.old.rule == s.new.rule && (!s.key.isUplink6() || s.old.chain.prefix() == s.new.chain.prefix())
}

// find is the record of a key; nil when there is none.
func (t *table) find(k key) *record {
	number := t.prefixes[k]
	if short, ok := k.short(); ok {
		number = t.short[short]
	}
	if number == 0 {
		return nil
	}
	return t.records.at(number)
}

func (t *table) enter(k key, number uint32) {
	if short, ok := k.short(); ok {
		t.short[short] = number
	} else {
		t.prefixes[k] = number
	}
}

func (t *table) erase(k key) {
	if short, ok := k.short(); ok {
		delete(t.short, short)
	} else {
		delete(t.prefixes, k)
	}
}

// plan works out the steps from what is to what shall be, and changes nothing.
// What is set comes before what is removed.
func (t *table) plan(changes []datapath.Change) ([]step, error) {
	p := &planner{table: t, at: map[key]int{}}
	for _, c := range changes {
		if err := p.release(c); err != nil {
			return nil, err
		}
	}
	for _, c := range changes {
		if c.New == nil {
			continue
		}
		if err := p.claim(c.New); err != nil {
			return nil, fmt.Errorf("session %#x: %w", c.New.SEID, err)
		}
	}
	slices.SortStableFunc(p.steps, setFirst)
	return p.steps, p.checkRoom()
}

func setFirst(a, b step) int {
	switch {
	case a.new != nil && b.new == nil:
		return -1
	case a.new == nil && b.new != nil:
		return 1
	}
	return 0
}

// record makes the plan's outcome what is.
func (t *table) record(changes []datapath.Change, steps []step) {
	for _, c := range changes {
		if c.Old != nil && (c.New == nil || c.New.SEID != c.Old.SEID) {
			delete(t.sessions, c.Old.SEID)
		}
	}
	for _, c := range changes {
		if c.New != nil {
			t.sessions[c.New.SEID] = 0
		}
	}
	for _, s := range steps {
		t.recordStep(s)
	}
}

func (t *table) recordStep(s step) {
	if s.key.bits > 0 {
		if t.lengths[s.key.bits] += s.change(); t.lengths[s.key.bits] == 0 {
			delete(t.lengths, s.key.bits)
		}
	}
	if n := s.change(); n != 0 {
		t.count[s.key.table()] += n
	}
	switch {
	case s.new == nil:
		t.erase(s.key)
		delete(t.chains, s.number)
		t.records.give(s.number)
		return
	case s.old == nil:
		s.number = t.records.take()
		t.enter(s.key, s.number)
	}
	t.store(s.number, s.new)
}
