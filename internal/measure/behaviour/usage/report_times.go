package usage

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Times holds the times in all usage reports of a UE's URRs to each other (TS 29.244 clauses 7.5.5.2, 7.5.7.2 and
// 7.5.8.3). The clock that they are of may be any.
func Times(u *behaviour.UE) behaviour.Step {
	return behaviour.Step{Text: "the times in the usage reports fit each other", Do: func(t *behaviour.T) error {
		s := t.Session(u)
		for _, urr := range s.URRs {
			for n, r := range t.Usages(u, urr) {
				if err := timesFit(&r, time.Since(s.Asked)); err != nil {
					err.Expected = fmt.Sprintf("in usage report %d of URR %d ", n+1, urr) + err.Expected
					if err.Symptom == "" {
						err.Symptom = fail.Times
					}
					return err
				}
			}
		}
		return nil
	}}
}

// timesFit says what is wrong with the times in a report of a URR that has been there for as long as that; nil: nothing.
// They are of whole seconds, so that each may be off by one. Clocks may be set meanwhile, so that what does not fit counts
// when it is repeated; what is missing counts at once.
func timesFit(r *n4.Usage, age time.Duration) *fail.Failure {
	const unit = time.Second
	failed := func(expected, format string, args ...any) *fail.Failure {
		return fail.Repeated(fail.Wrongf(expected, format, args...)).(*fail.Failure)
	}
	measured := r.Timed || r.Volume.Total != nil || r.Volume.Up != nil || r.Volume.Down != nil
	between := r.End.Sub(r.Start)
	switch {
	case measured && r.Start.IsZero():
		return fail.NotEnforcedf("there is the Start Time of what was measured", "there is none").(*fail.Failure)
	case measured && r.End.IsZero():
		return fail.NotEnforcedf("there is the End Time of what was measured", "there is none").(*fail.Failure)
	case r.Start.IsZero() || r.End.IsZero():
		return nil
	case between < -unit:
		return failed("the End Time is not before the Start Time", "it is, by %v", -between)
	case between > age+2*unit:
		return failed("the Start Time is not before the URR was created", "it is %v before the End Time, and the URR was created %v before",
			between, age.Round(unit))
	case r.Duration > between+unit:
		f := failed("the duration is no longer than from the Start Time to the End Time", "it is %v, and that is %v", r.Duration, between)
		f.Symptom = fail.Duration
		return f
	}
	for _, x := range []struct {
		name string
		at   time.Time
	}{{"Time of First Packet", r.First}, {"Time of Last Packet", r.Last}} {
		switch {
		case x.at.IsZero():
		case x.at.Sub(r.End) > unit:
			return failed("the "+x.name+" is not after the End Time", "it is, by %v", x.at.Sub(r.End))
		case r.Start.Sub(x.at) > unit:
			return failed("the "+x.name+" is not before the Start Time", "it is, by %v", r.Start.Sub(x.at))
		}
	}
	if !r.Last.IsZero() && r.First.Sub(r.Last) > unit {
		return failed("the Time of First Packet is not after the Time of Last Packet", "it is, by %v", r.First.Sub(r.Last))
	}
	return nil
}
