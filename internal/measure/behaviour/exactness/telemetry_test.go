package exactness

import (
	"errors"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// TestGrades: an account is graded by how far it is from the nearest number that the bench knows to be true.
func TestGrades(t *testing.T) {
	for _, c := range []struct {
		what  string
		value *float64
		want  span
		grade record.Grade
		error float64
	}{
		{"what was counted", new(100.0), span{100, 100}, record.GradeExact, 0},
		{"between what arrived and what was sent", new(98.0), span{95, 100}, record.GradeExact, 0},
		{"4 % too few", new(96.0), span{100, 120}, record.GradeNear, -0.04},
		{"6 % too many", new(106.0), span{90, 100}, record.GradeWrong, 0.06},
		{"nothing of some", new(0.0), span{100, 100}, record.GradeWrong, -1},
		{"some of nothing", new(1.0), span{}, record.GradeWrong, 0},
		{"nothing of nothing", new(0.0), span{}, record.GradeExact, 0},
		{"none", nil, span{100, 100}, record.GradeAbsent, 0},
	} {
		if got := graded("x", "N4", "", c.value, c.want); got.Grade != c.grade || got.Error != c.error {
			t.Errorf("%s: %s, off by %v; want %s and %v", c.what, got.Grade, got.Error, c.grade, c.error)
		}
	}
}

// entry is a packet of a ledger.
type entry struct {
	up, arrived bool
	became      fate
}

// TestLedger: what goes into N3 counts whatever becomes of it, what leaves N3 or N6 only when it is forwarded. What was late may have
// been forwarded, and is known to have been where it arrived.
func TestLedger(t *testing.T) {
	at := time.Unix(1, 0)
	rules := []entry{{true, true, passes}, {true, false, dropped}, {false, true, passes}, {false, false, dropped}}
	for what, c := range map[string]struct {
		list []entry
		want map[dut.Quantity]span
	}{
		"dropped by rules": {rules, map[dut.Quantity]span{dut.PacketsFromN3: {2, 2}, dut.OctetsFromN3: {200, 200},
			dut.PacketsToN6: {1, 1}, dut.OctetsToN3: {100, 100}, dut.PacketsSent: {2, 2}, dut.PacketsDropped: {2, 2}}},
		"late": {append(rules[:4:4], entry{true, false, late}, entry{true, false, late}, entry{false, false, late}),
			map[dut.Quantity]span{dut.PacketsFromN3: {2, 4}, dut.OctetsFromN3: {200, 400}, dut.PacketsToN6: {1, 3},
				dut.OctetsToN3: {100, 200}, dut.PacketsSent: {2, 5}, dut.PacketsDropped: {2, 5}}},
		"late, and still forwarded": {append(rules[:4:4], entry{true, true, late}, entry{false, true, late}),
			map[dut.Quantity]span{dut.PacketsFromN3: {3, 3}, dut.OctetsFromN3: {300, 300}, dut.PacketsToN6: {2, 2},
				dut.OctetsToN3: {200, 200}, dut.PacketsSent: {4, 4}, dut.PacketsDropped: {2, 2}}},
		"lost on the way, and then what was to be dropped may be, too": {append(rules[:4:4], entry{true, false, passes}),
			map[dut.Quantity]span{dut.PacketsFromN3: {1, 3}, dut.PacketsToN6: {1, 2}, dut.PacketsDropped: {2, 3}}},
	} {
		var l ledger
		for _, e := range c.list {
			f := b.Fate{Up: e.up, Octets: 100, Sent: at}
			if e.arrived {
				f.Arrived = at
			}
			l.add(&f, e.became)
		}
		for q, want := range c.want {
			if got := l.of(q); got != want {
				t.Errorf("%s: %s: %v, want %v", what, q, got, want)
			}
		}
	}
}

// TestVolume: a URR counts what passes in its direction, and not what was late: its last report was given with the answer.
func TestVolume(t *testing.T) {
	var l ledger
	l.add(&b.Fate{Up: true, Octets: 100, Arrived: time.Unix(1, 0)}, passes)
	l.add(&b.Fate{Up: true, Octets: 100}, passes)
	l.add(&b.Fate{Up: true, Octets: 100, Arrived: time.Unix(1, 0)}, late)
	l.add(&b.Fate{Octets: 100, Arrived: time.Unix(1, 0)}, passes)
	up := l.volume(kind{name: "volume, uplink alone", method: rules.ByVolume, up: true}, &rules.Volume{Total: rules.Octets(100)})
	if len(up) != 1 || up[0].want != (span{100, 200}) {
		t.Errorf("a URR uplink: %+v", up)
	}
}

// TestRisen: a counter whose first reading failed, and one that never moves, say nothing.
func TestRisen(t *testing.T) {
	c, list := dut.Claim{Name: "n"}, func(v float64) reading { return reading{list: []dut.Counter{{Name: "n", Value: v}}} }
	refused := reading{err: errors.New("refused")}
	for what, x := range map[string]struct {
		before, after reading
		want          span
		value         *float64
		why           string
	}{
		"it rises":                              {list(3), list(5), span{2, 2}, new(2.0), ""},
		"it is shown from its first packet on":  {reading{}, list(5), span{5, 5}, new(5.0), ""},
		"another source failed":                 {reading{list(3).list, refused.err}, list(5), span{2, 2}, new(2.0), ""},
		"its first reading failed":              {refused, list(5), span{2, 2}, nil, "refused"},
		"its last reading failed":               {list(3), refused, span{2, 2}, nil, "refused"},
		"it is not shown":                       {reading{}, reading{}, span{2, 2}, nil, ""},
		"it stays 0":                            {list(0), list(0), span{2, 4}, nil, "it stays 0 where it has to rise by 2: the UPF does not count"},
		"it stays 0, as it may":                 {list(0), list(0), span{0, 4}, new(0.0), ""},
		"it has risen before, and does not now": {list(3), list(3), span{2, 2}, new(0.0), ""},
	} {
		a := audited{before: x.before, after: x.after}
		value, why := a.risen(c, x.want)
		if why != x.why || (value == nil) != (x.value == nil) || value != nil && *value != *x.value {
			t.Errorf("%s: %v, %q", what, value, why)
		}
	}
}

// TestJudged: a UPF is held to what it says alone, and one whose accounts cannot be read is not.
func TestJudged(t *testing.T) {
	absent, exact := record.Shown{Grade: record.GradeAbsent}, record.Shown{Grade: record.GradeExact}
	verdict := func(err error) record.Verdict {
		if f, is := err.(*fail.Failure); is {
			return f.Verdict
		}
		return ""
	}
	for _, c := range []struct {
		list   []record.Shown
		unread error
		want   record.Verdict
	}{
		{[]record.Shown{absent, exact}, nil, ""},
		{[]record.Shown{absent, exact}, errors.New("refused"), ""},
		{[]record.Shown{exact, {Grade: record.GradeNear}}, nil, record.VerdictWrong},
		{[]record.Shown{absent}, nil, record.VerdictNotApplicable},
		{[]record.Shown{absent}, errors.New("refused"), record.VerdictNotApplicable},
	} {
		if got := verdict(judged(c.list, c.unread)); got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.list, c.unread, got, c.want)
		}
	}
}
