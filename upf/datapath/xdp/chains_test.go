package xdp

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// rowsUsed is how many rows have a number, those aside that are retired.
func (l *lab) rowsUsed() int {
	n := l.dp.chains.rows.Used()
	for _, r := range l.dp.chains.retired {
		n -= len(r.rows)
	}
	return n
}

// TestSameRowsStay: a change of one direction leaves the other's rows where they are, also
// when it fails, and packets are counted by them.
func TestSameRowsStay(t *testing.T) {
	cfg := labConfig()
	l := newLab(t, cfg)
	r := pair(1, "10.45.0.2", 1, counting(session.Limits{}))
	must(t, "create", l.dp.Apply([]datapath.Change{{New: r}}))
	before, rows := l.contents(t), l.rowsUsed()
	up, down := key4(session.Access, [4]byte{0, 0, 0, 1}), key4(session.Core, [4]byte{10, 45, 0, 2})

	moved := r.Clone()
	moved.FARs[1].Outer.TEID = 99
	other := pair(2, "10.45.0.2", 2, nil) // whose address the first has
	if err := l.dp.Apply([]datapath.Change{{Old: r, New: moved}, {New: other}}); err == nil {
		t.Fatal("two sessions have one address")
	}
	if after := l.rowsUsed(); after != rows {
		t.Errorf("%d rows after a change that failed, %d before", after, rows)
	}
	must(t, "move", l.dp.Apply([]datapath.Change{{Old: r, New: moved}}))
	after := l.contents(t)
	if after[up] != before[up] || after[down] == before[down] {
		t.Errorf("the rules are %+v and %+v, were %+v and %+v", after[up], after[down], before[up], before[down])
	}
	l.send(t, "n3", "psc", 3)
	var counted session.Usage
	must(t, "remove", l.dp.Apply([]datapath.Change{{Old: moved, Final: func(_ session.URRKey, u session.Usage) { counted = u }}}))
	if counted.Uplink.Packets != 3 {
		t.Errorf("%+v counted, want 3 packets uplink", counted)
	}
}

// TestManyModifications: what modifications leave behind for a moment does not use the
// tables up.
func TestManyModifications(t *testing.T) {
	cfg := labConfig()
	cfg.MaxSessions = 1
	l := newLab(t, cfg)
	old := pair(1, "10.45.0.2", 1, counting(session.Limits{}))
	must(t, "create", l.dp.Apply([]datapath.Change{{New: old}}))
	for i := range 8000 { // of 200 ms at 40 000/s
		now := old.Clone()
		now.FARs[1].Outer.TEID = uint32(100 + i)
		must(t, "modify", l.dp.Apply([]datapath.Change{{Old: old, New: now}}))
		old = now
	}
}
