package plan

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/sequential"
)

// trialsTake is how long the trials of a repeat take, without bringing UPFs up and down.
func trialsTake(p *Plan) (takes time.Duration) {
	k := p.Kind()
	if k.outline == nil {
		return 0
	}
	visit := k.outline(p, &Outline{})
	for _, t := range p.Targets {
		takes += time.Duration(float64(visit) * pace(p.Scenario, t))
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

// checkUntil refuses a time in which nothing can be known, and a comparison within the run of anything but two UPFs.
func (p *Plan) checkUntil() error {
	s := p.Scenario.Until
	if !s.Asked() {
		return nil
	}
	least := sequential.LeastRepeats(s.Decided > 0)
	if takes := time.Duration(least) * trialsTake(p); takes > s.AtMost.Duration {
		return fmt.Errorf("until.at_most (--at-most) is %s, and %d repeats, the least that anything is known by, take %s: give it more, or set duration lower",
			s.AtMost, least, takes.Round(time.Second))
	}
	if s.Decided == 0 {
		return nil
	}
	switch upfs := p.Targets.upfs(); len(upfs) {
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
func untilWords(p *Plan) string {
	s := p.Scenario.Until
	if s.Decided > 0 {
		upfs := p.Targets.upfs()
		return fmt.Sprintf("until it is decided whether %s is worse than %s by more than %.3g %%, for %d repeats at least and %s at most", upfs[1].Label(), upfs[0].Label(),
			100*float64(s.Decided), sequential.LeastRepeats(true), s.AtMost)
	}
	return fmt.Sprintf("until each figure is known to ±%.3g %%, for %d repeats at least and %s at most", 100*float64(s.Precision), sequential.LeastRepeats(false), s.AtMost)
}
