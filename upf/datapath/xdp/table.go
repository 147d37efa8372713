package xdp

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/datapath/xdp/pages"
	"github.com/upflab/upflab/upf/session"
)

// table is what the rule maps hold, and whose it is.
type table struct {
	max      int // entries a map
	ends     ends
	count    map[tableID]int
	lengths  lengths
	records  pages.Own[record]
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

// change is how many entries a step adds.
func (s step) change() (n int) {
	if s.old != nil {
		n--
	}
	if s.new != nil {
		n++
	}
	return n
}

// entriesOf lists what the steps replace or remove, and what they set.
func entriesOf(steps []step) (before, after []*entry) {
	for _, s := range steps {
		if s.old != nil {
			before = append(before, s.old)
		}
		if s.new != nil {
			after = append(after, s.new)
		}
	}
	return before, after
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

// planner gathers the steps of one Apply.
type planner struct {
	table *table
	steps []step
	at    map[key]int // which step changes the key
}

// release frees the keys of a session that changes or goes.
func (p *planner) release(c datapath.Change) error {
	if c.Old == nil {
		return p.checkNew(c)
	}
	first, ok := p.table.sessions[c.Old.SEID]
	if !ok {
		return fmt.Errorf("session %#x: not in the datapath: apply it first", c.Old.SEID)
	}
	for n := first; n != 0; n = p.table.records.At(n).next {
		k := p.table.records.At(n).key
		if _, twice := p.at[k]; twice {
			return fmt.Errorf("session %#x: changed twice in one batch: join the changes", c.Old.SEID)
		}
		p.at[k] = len(p.steps)
		p.steps = append(p.steps, step{key: k, old: p.table.load(n), number: n})
	}
	return nil
}

func (p *planner) checkNew(c datapath.Change) error {
	if c.New == nil {
		return fmt.Errorf("a change with neither old nor new rules: give one")
	}
	if _, ok := p.table.sessions[c.New.SEID]; ok {
		return fmt.Errorf("session %#x: already in the datapath: give its old rules", c.New.SEID)
	}
	return nil
}

// claim takes the keys that the rules want.
func (p *planner) claim(r *session.Rules) error {
	entries, err := compile(r, p.table.ends)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := p.claimKey(e); err != nil {
			return err
		}
	}
	return nil
}

// claimKey refuses a key that another session's PDR has.
func (p *planner) claimKey(e compiled) error {
	i, touched := p.at[e.key]
	if !touched {
		if owner := p.table.find(e.key); owner != nil {
			return conflict(e.entry, owner)
		}
		p.at[e.key] = len(p.steps)
		p.steps = append(p.steps, step{key: e.key, new: e.entry, rows: e.rows})
		return nil
	}
	if owner := p.steps[i].new; owner != nil {
		return conflict(e.entry, &record{seid: owner.seid, pdr: owner.pdr})
	}
	p.steps[i].new, p.steps[i].rows = e.entry, e.rows
	return nil
}

func conflict(e *entry, owner *record) error {
	return &session.RuleError{
		Kind: session.KindPDR, ID: uint32(e.pdr),
		Reason: fmt.Sprintf("%v is that of PDR %d of session %#x",
			e.key, owner.pdr, owner.seid),
	}
}

func (p *planner) checkRoom() error {
	grow := map[tableID]int{}
	for _, s := range p.steps {
		if n := s.change(); n != 0 {
			grow[s.key.table()] += n
		}
	}
	for t, n := range grow {
		if p.table.count[t]+n > p.table.max {
			return fmt.Errorf("xdp: %d PDRs from %v: %w: raise max sessions", p.table.count[t]+n, t.source, datapath.ErrFull)
		}
	}
	return nil
}

// lengths counts UE prefixes by length: a packet's address is looked up once for each.
type lengths map[uint8]int

// after are the lengths that there would be after the steps, the longest first; the
// error is one of too many.
func (l lengths) after(steps []step) (list lengthList, err error) {
	grow := lengths{}
	for _, s := range steps {
		if s.key.bits == 0 {
			continue
		}
		grow[s.key.bits] += s.change()
	}
	if len(l)+len(grow) == 0 {
		return list, nil
	}
	n := 0
	for bits := 128; bits > 0; bits-- {
		if l[uint8(bits)]+grow[uint8(bits)] <= 0 {
			continue
		}
		if n == maxLengths {
			return list, fmt.Errorf("xdp: UE prefixes and networks behind UEs of over %d lengths: %w: give "+
				"prefixes of 64 bits", maxLengths, datapath.ErrFull)
		}
		list[n] = uint8(bits)
		n++
	}
	return list, nil
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
		t.records.Give(s.number)
		return
	case s.old == nil:
		s.number = t.records.Take()
		t.enter(s.key, s.number)
	}
	t.store(s.number, s.new)
}

// store records an entry under a number, as the first of its session.
func (t *table) store(number uint32, e *entry) {
	*t.records.At(number) = record{seid: e.seid, rule: e.rule, peer: e.peer, key: e.key, from: e.from, pdr: e.pdr, next: t.sessions[e.seid]}
	t.sessions[e.seid] = number
	if e.chain != nil {
		t.chains[number] = e.chain
	} else {
		delete(t.chains, number)
	}
}

// load gives an entry as it was recorded.
func (t *table) load(number uint32) *entry {
	r := t.records.At(number)
	return &entry{seid: r.seid, rule: r.rule, peer: r.peer, chain: t.chains[number], key: r.key, from: r.from, pdr: r.pdr}
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
	return t.records.At(number)
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
