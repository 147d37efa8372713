package xdp

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

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
	if n := len(table.short) + len(table.prefixes) + len(table.sessions) + len(table.chains); n != 0 || table.records.Used() != 0 {
		t.Errorf("left: %d entries, %d records", n, table.records.Used())
	}
	for _, one := range l.dp.peers.four {
		if one.uses != 0 {
			t.Errorf("gNB in slot %d has %d uses", one.slot, one.uses)
		}
	}
}
