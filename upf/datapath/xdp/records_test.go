package xdp

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// TestRecordsAreReused: a number that was given back comes before a new one, and a record keeps
// its place while there come others.
func TestRecordsAreReused(t *testing.T) {
	var r records
	first := r.take()
	at := r.at(first)
	at.seid = 7
	for range 3 * chunkRecords {
		r.take()
	}
	if first == 0 || r.at(first) != at || r.at(first).seid != 7 {
		t.Errorf("record %d is %+v, want session 7 where it was", first, r.at(first))
	}
	last := r.last
	r.give(first)
	if got := r.take(); got != first || r.last != last {
		t.Errorf("took %d, want %d again", got, first)
	}
}

// TestSessionsLeaveNothing: after many sessions came, changed and went, the table is empty.
func TestSessionsLeaveNothing(t *testing.T) {
	l := newLab(t, labConfig())
	for range 3 {
		rules := pair(1, "10.45.0.2", 1, nil)
		moved := pair(1, "10.45.0.2", 1, withPeer("192.0.2.9"))
		must(t, "create", l.dp.Apply(additions([]*session.Rules{rules})))
		must(t, "change", l.dp.Apply([]datapath.Change{{Old: rules, New: moved}}))
		must(t, "remove", l.dp.Apply([]datapath.Change{{Old: moved}}))
	}
	table := l.dp.table
	if n := len(table.short) + len(table.prefixes) + len(table.sessions) + len(table.chains); n != 0 ||
		int(table.records.last) != len(table.records.free) {
		t.Errorf("left: %d entries, %d records of which %d are free", n, table.records.last, len(table.records.free))
	}
	for _, one := range l.dp.peers.four {
		if one.uses != 0 {
			t.Errorf("gNB in slot %d has %d uses", one.slot, one.uses)
		}
	}
}
