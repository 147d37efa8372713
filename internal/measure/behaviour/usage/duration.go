package usage

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Lasted holds what a URR reported of durations, in all, to the time from the session's first
// packet to now: to a second, which is the unit of Duration Measurement.
func Lasted(u *behaviour.UE, urr uint32) behaviour.Step {
	return behaviour.Step{Text: fmt.Sprintf("the duration of URR %d is the time since the first packet", urr), Do: func(t *behaviour.T) error {
		s := t.Session(u)
		return lasted(t.Usages(u, urr), time.Since(s.Ledger.Began))
	}}
}

// lasted compares reports with a time; a busy machine makes that longer.
func lasted(list []n4.Usage, took time.Duration) error {
	expected := fmt.Sprintf("a duration of about %.1f s is reported", took.Seconds())
	sum, timed := Lasting(list)
	switch {
	case len(list) == 0:
		return fail.NotEnforcedf(expected, "there is no usage report")
	case !timed || sum == 0:
		return fail.NotEnforcedf(expected, "the usage reports have none, or 0 s")
	case sum < took-1500*time.Millisecond:
		return fail.Repeated(fail.Wrongf(expected, "%v", sum))
	case sum > took+time.Second:
		return fail.Because(fail.Duration, fail.Repeated(fail.Wrongf(expected, "%v", sum)))
	}
	return nil
}

// Lasting adds the durations in reports up. timed: there are any.
func Lasting(list []n4.Usage) (sum time.Duration, timed bool) {
	for _, u := range list {
		sum += u.Duration
		timed = timed || u.Timed
	}
	return sum, timed
}
