package exactness

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	reported "github.com/upflab/upflab/internal/measure/behaviour/usage"
	"github.com/upflab/upflab/internal/record"
)

// near is the most that an account may differ by and still be near the truth, as a part of it.
const near = 0.05

// reading is what the UPF shows of itself at a moment.
type reading struct {
	list []dut.Counter
	err  error
}

// read reads the UPF's counters. What cannot be read is absent.
func (a *audited) read() (r reading) {
	if read := a.Lab.Capabilities().Accounts.Read; read != nil {
		r.list, r.err = read()
	}
	return r
}

// graded is an account with its grade: value is what was counted, nil: nothing.
func graded(name, by, means string, value *float64, want span) record.Shown {
	s := record.Shown{Name: name, By: by, Means: means, Grade: record.GradeAbsent}
	if value == nil {
		return s
	}
	s.Value, s.Ledger = *value, min(max(*value, want.from), want.to)
	s.Difference = s.Value - s.Ledger
	switch {
	case s.Difference == 0:
		s.Grade = record.GradeExact
		return s
	case s.Ledger == 0:
		s.Grade = record.GradeWrong
		return s
	}
	s.Error, s.Grade = s.Difference/s.Ledger, record.GradeWrong
	if math.Abs(s.Error) <= near {
		s.Grade = record.GradeNear
	}
	return s
}

// counters grades what the UPF shows by other ways than N4: what TS 28.552 asks for, and what its driver knows of besides.
func (a *audited) counters() (list []record.Shown) {
	claims := a.Lab.Capabilities().Accounts.Claims
	for _, c := range wanted(claims) {
		want := a.ledger.of(c.Of)
		var value *float64
		var why string
		if slices.Contains(claims, c) {
			value, why = a.risen(c, want)
		}
		row := graded(c.Name, string(c.Shown), string(c.Of), value, want)
		row.Note = why
		list = append(list, row)
	}
	return list
}

// risen is what a counter has risen by; nil: the UPF does not show it or does not count it, or it could not be read, which why says.
func (a *audited) risen(c dut.Claim, want span) (value *float64, why string) {
	before, was := c.Value(a.before.list)
	after, is := c.Value(a.after.list)
	unread := fail.FirstOf(a.before.err, a.after.err)
	if !was && a.before.err != nil || !is {
		if unread != nil {
			why = unread.Error()
		}
		return nil, why
	}
	if before == 0 && after == 0 && want.from > 0 {
		return nil, fmt.Sprintf("it stays 0 where it has to rise by %.0f: the UPF does not count", want.from)
	}
	after -= before
	return &after, ""
}

// wanted are the claims of TS 28.552 and then those of the driver that are others.
func wanted(claims []dut.Claim) []dut.Claim {
	list := dut.Standard()
	for _, c := range claims {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// usage grades what the UPF reports by N4.
func (a *audited) usage() (list []record.Shown) {
	const by = "N4"
	for _, u := range a.users {
		reports := a.Usages(u.UE, 1)
		name := "URR, " + u.kind.name
		if u.kind.isDuration() {
			took := u.gone.Sub(u.packets.began)
			var value *float64
			if sum, timed := reported.Lasting(reports); timed && u.urr {
				s := sum.Seconds()
				value = &s
			}
			list = append(list, graded(name, by, "seconds since the first packet", value, around(took)))
			continue
		}
		v := reported.Sum(reports)
		for _, c := range u.packets.volume(u.kind, &v) {
			var value *float64
			if c.value != nil && u.urr {
				n := float64(*c.value)
				value = &n
			}
			list = append(list, graded(name+": "+c.name, by, "what passes", value, c.want))
		}
	}
	return list
}

// around is what a duration of whole seconds may be reported as.
func around(took time.Duration) span { return span{took.Seconds() - 1.5, took.Seconds() + 1} }

// judged is the failure of the first account that is not exact. What is absent is no failure: no clause asks for it here.
func judged(list []record.Shown, unread error) error {
	given := false
	for _, s := range list {
		given = given || s.Grade != record.GradeAbsent
		if s.Grade == record.GradeWrong || s.Grade == record.GradeNear {
			return fail.Repeated(fail.Wrong(fmt.Sprintf("%s (%s) is %.0f", s.Name, s.By, s.Ledger), fmt.Sprintf("it is %.0f", s.Value)))
		}
	}
	switch {
	case given:
		return nil
	case unread != nil:
		return fail.Inapplicable("its accounts cannot be read: %v", unread)
	}
	return fail.Inapplicable("it gives no account that upflab knows of")
}
