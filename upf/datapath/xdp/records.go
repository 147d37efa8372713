package xdp

import "github.com/upflab/upflab/upf/session"

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
