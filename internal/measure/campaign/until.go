package campaign

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/analysis/sequential"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
)

// until ends a run when it knows enough, or when its time is over.
type until struct {
	*record.Until
	begun, ends time.Time
	repeat      time.Time     // when the current one began
	longest     time.Duration // of the repeats so far
}

// newUntil begins to wait for what the scenario asks; nil: it asks for a number of repeats.
func newUntil(p *plan.Plan, now time.Time, r *record.Result) *until {
	s := p.Scenario.Until
	if !s.Asked() {
		return nil
	}
	r.Until = &record.Until{Precision: float64(s.Precision), Decided: float64(s.Decided), Figures: s.Names(), AtMostS: s.AtMost.Seconds()}
	return &until{Until: r.Until, begun: now, ends: now.Add(s.AtMost.Duration), longest: p.Outline().Each}
}

// fits reports whether another repeat, as long as the longest so far, ends in time; of a comparison, another block of
// two. The first one always does.
func (u *until) fits(now time.Time) bool {
	if u == nil {
		return true
	}
	u.repeat = now
	next := u.longest
	if u.Decided > 0 && u.Repeats%2 == 0 {
		next *= 2
	}
	if u.Repeats > 0 && now.Add(next).After(u.ends) {
		u.Ended = record.EndedTime
		return false
	}
	return true
}

// over looks at the run after a repeat, and reports whether it may end.
func (u *until) over(now time.Time, repeat int, r *run) bool {
	if u == nil {
		return false
	}
	if took := now.Sub(u.repeat); repeat == 1 {
		u.longest = took // better known than from the plan
	} else {
		u.longest = max(u.longest, took)
	}
	u.Repeats, u.TookS = repeat, now.Sub(u.begun).Seconds()
	if u.Decided > 0 && repeat%2 == 1 { // a block has two repeats
		return false
	}
	u.Looks++
	u.Ended = sequential.Look(r.Result)
	if u.Ended == "" && repeat == sequential.MostRepeats {
		u.Ended = record.EndedMost
	}
	r.Observer.Noted(fmt.Sprintf("after repeat %d", repeat), sequential.Progress(u.Until))
	return u.Ended != ""
}
