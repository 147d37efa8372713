package xdp

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
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

// record is an entry at rest. It has no pointers, so that the garbage collector does not look at
// two of them for each session; what a chain of rows has is in the table's chains.
type record struct {
	seid uint64
	rule ruleWord
	next uint32 // the session's next record; 0: none
	peer peerNumber
	key  key
	from session.Interface
	pdr  uint16
}

const chunkRecords = 1 << 12

// records are numbered from 1 on. They are in chunks, which never move.
type records struct {
	chunks []*[chunkRecords]record
	last   uint32
	free   []uint32
}

func (r *records) at(number uint32) *record {
	return &r.chunks[number/chunkRecords][number%chunkRecords]
}

// take gives a number that is free.
func (r *records) take() uint32 {
	if n := len(r.free); n > 0 {
		number := r.free[n-1]
		r.free = r.free[:n-1]
		return number
	}
	r.last++
	if int(r.last/chunkRecords) == len(r.chunks) {
		r.chunks = append(r.chunks, &[chunkRecords]record{})
	}
	return r.last
}

func (r *records) give(number uint32) { r.free = append(r.free, number) }

// load gives an entry as it was recorded.
func (t *table) load(number uint32) *entry {
	r := t.records.at(number)
	return &entry{seid: r.seid, rule: r.rule, peer: r.peer, chain: t.chains[number], key: r.key, from: r.from, pdr: r.pdr}
}

// store records an entry under a number, as the first of its session.
func (t *table) store(number uint32, e *entry) {
	*t.records.at(number) = record{seid: e.seid, rule: e.rule, peer: e.peer, key: e.key, from: e.from, pdr: e.pdr, next: t.sessions[e.seid]}
	t.sessions[e.seid] = number
	if e.chain != nil {
		t.chains[number] = e.chain
	} else {
		delete(t.chains, number)
	}
}

// ruleWord is an upfUlRule or an upfDlRule as it is in memory, in little-endian order: what is
// compared with or the TEID, the verdict, the QFI, and the peer of a downlink rule. The rule of
// IPv6 uplink packets has a prefix besides.
type ruleWord uint64

func ruleOf(low uint32, verdict, qfi uint8) ruleWord {
	return ruleWord(low) | ruleWord(verdict)<<32 | ruleWord(qfi)<<40
}

func (w ruleWord) verdict() uint8 { return uint8(w >> 32) }

// withPeer is a downlink rule with the slot of its gNB.
func (w ruleWord) withPeer(slot uint16) ruleWord { return w&(1<<48-1) | ruleWord(slot)<<48 }

// withChain is a rule with the number of its chain.
func (w ruleWord) withChain(number uint32) ruleWord { return w>>32<<32 | ruleWord(number) }

// value is an entry's rule as the rule maps have it.
func (e *entry) value() any {
	if !e.key.isUplink6() {
		return uint64(e.rule)
	}
	rule := upfUlRule6{Chain: uint32(e.rule), Verdict: e.rule.verdict(), Qfi: uint8(e.rule >> 40)}
	rule.Ue, rule.Mask = wirePrefix6(e.chain.prefix())
	return &rule
}

// prefix is the inner source of a plain rule of IPv6 uplink packets; invalid for any.
func (c *chain) prefix() (p netip.Prefix) {
	if c.chainExtras != nil {
		p = c.ue
	}
	return p
}
