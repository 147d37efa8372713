package campaign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/sequential"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
)

// until ends a run when it knows enough, or when its time is over.
type until struct {
	*record.Until
	begun, ends time.Time
	repeat      time.Time     // when the current one began
	longest     time.Duration // of the repeats so far
}

// until begins to wait for what the scenario asks; nil: it asks for a number of repeats.
func (p *Plan) until(now time.Time, r *record.Result) *until {
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
	u.Ended = sequential.Look(r.result)
	if u.Ended == "" && repeat == sequential.MostRepeats {
		u.Ended = record.EndedMost
	}
	r.observer.Noted(fmt.Sprintf("after repeat %d", repeat), sequential.Progress(u.Until))
	return u.Ended != ""
}

// trialsTake is how long the trials of a repeat take, without bringing UPFs up and down.
func (p *Plan) trialsTake() (takes time.Duration) {
	k := p.kind()
	if k.outline == nil {
		return 0
	}
	visit := k.outline(p, &Outline{})
	for _, t := range p.Targets {
		takes += time.Duration(float64(visit) * p.pace(t))
	}
	return takes
}

// repeats is how many a run has at most.
func (p *Plan) repeats() int {
	if p.Scenario.Until.Asked() {
		return sequential.MostRepeats
	}
	return p.Scenario.Repeats
}

// upfs are the targets that are no references.
func (p *Plan) upfs() []dut.Target {
	return slices.DeleteFunc(slices.Clone(p.Targets), func(t dut.Target) bool { return isReference(t.Name()) })
}

// checkUntil refuses a time in which nothing can be known, and a comparison within the run of anything but two UPFs.
func (p *Plan) checkUntil() error {
	s := p.Scenario.Until
	if !s.Asked() {
		return nil
	}
	least := sequential.LeastRepeats(s.Decided > 0)
	if takes := time.Duration(least) * p.trialsTake(); takes > s.AtMost.Duration {
		return fmt.Errorf("until.at_most (--at-most) is %s, and %d repeats, the least that anything is known by, take %s: give it more, or set duration lower",
			s.AtMost, least, takes.Round(time.Second))
	}
	if s.Decided == 0 {
		return nil
	}
	switch upfs := p.upfs(); len(upfs) {
	case 2:
		return nil
	case 0, 1:
		return errors.New("until.decided (--until-decided) compares two UPFs, and this run has one: give --dut twice, or one --dut with --build twice")
	default:
		var labels []string
		for _, t := range upfs {
			labels = append(labels, t.Label())
		}
		return fmt.Errorf("until.decided (--until-decided) compares two UPFs, and this run has %d: %s", len(upfs), strings.Join(labels, ", "))
	}
}

// untilWords say how long repeats go on.
func (p *Plan) untilWords() string {
	s := p.Scenario.Until
	if s.Decided > 0 {
		upfs := p.upfs()
		return fmt.Sprintf("until it is decided whether %s is worse than %s by more than %.3g %%, for %d repeats at least and %s at most", upfs[1].Label(), upfs[0].Label(),
			100*float64(s.Decided), sequential.LeastRepeats(true), s.AtMost)
	}
	return fmt.Sprintf("until each figure is known to ±%.3g %%, for %d repeats at least and %s at most", 100*float64(s.Precision), sequential.LeastRepeats(false), s.AtMost)
}
