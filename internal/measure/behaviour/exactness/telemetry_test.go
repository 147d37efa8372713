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

// TestLedger: what a rule drops went into the UPF and not out of it, and what is nobody's counts nowhere but as dropped.
func TestLedger(t *testing.T) {
	var l ledger
	at := time.Unix(1, 0)
	add := func(up, arrived bool, became fate) {
		f := b.Fate{Up: up, Octets: 100, Sent: at}
		if arrived {
			f.Arrived = at
		}
		l.add(&f, became)
	}
	add(true, true, passes)
	add(true, false, dropped)
	add(true, false, unknown)
	add(false, true, passes)
	add(false, false, dropped)
	for q, want := range map[dut.Quantity]span{
		dut.PacketsFromN3: {2, 2}, dut.OctetsFromN3: {200, 200}, dut.PacketsToN6: {1, 1}, dut.OctetsToN3: {100, 100},
		dut.PacketsSent: {2, 2}, dut.PacketsDropped: {2, 3},
	} {
		if got := l.of(q); got != want {
			t.Errorf("%s: %v, want %v", q, got, want)
		}
	}
	add(true, false, passes) // lost on the way: then what was to be dropped may be, too
	if got := l.of(dut.PacketsFromN3); got != (span{1, 3}) {
		t.Errorf("with a packet lost: %v, want 1 to 3", got)
	}
	up := l.volume(kind{name: "volume, uplink alone", method: rules.ByVolume, up: true}, &rules.Volume{Total: rules.Octets(100)})
	if len(up) != 1 || up[0].want != (span{100, 200}) {
		t.Errorf("a URR uplink: %+v", up)
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
