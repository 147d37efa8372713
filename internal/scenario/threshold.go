package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/threshold"
)

// ThresholdsOf are the scenario's thresholds, read.
func (s *Scenario) ThresholdsOf() (list []threshold.Threshold) {
	for _, text := range s.Thresholds {
		if t, err := threshold.Parse(text); err == nil { // else the schema refused it
			list = append(list, t)
		}
	}
	return list
}

// thresholds finds those that no trial could ever have a figure for.
func (c *checker) thresholds() {
	applied := len(c.s.Flows) > 0
	for _, t := range c.s.ThresholdsOf() {
		for _, d := range t.Where.Directions {
			if !applied && !slices.Contains(c.s.Directions, d) {
				c.blame("the threshold %q is for %s, which is not among directions", []any{t.Text, d}, "thresholds")
			}
		}
		for _, l := range t.Where.Loads {
			if !applied && !c.s.offers(l) {
				c.blame("the threshold %q is for a load of %s, which is not among loads", []any{t.Text, l}, "thresholds")
			}
		}
	}
	if c.s.AbortOnFail && len(c.s.Thresholds) == 0 {
		c.blame("abort_on_fail needs thresholds: there is nothing that could fail", nil, "abort_on_fail")
	}
}

// offers reports whether trials with a load may come; shares and loads that the run
// chooses are known only then.
func (s *Scenario) offers(l record.Load) bool {
	chosen := slices.ContainsFunc(s.Loads, func(l record.Load) bool { return l.Auto })
	return chosen || l.Share > 0 || slices.Contains(s.Control.Churn, l) || slices.Contains(s.Loads, l) || s.Latency.Rate == l
}

// ThresholdNames gives an error when a threshold names a DUT that is not in the run;
// labels are NAME:MODE of all of the run.
func (s *Scenario) ThresholdNames(labels []string) error {
	for _, t := range s.ThresholdsOf() {
		for _, name := range t.Named() {
			if !slices.ContainsFunc(labels, func(l string) bool { return threshold.SameDUT(name, l) }) {
				return fmt.Errorf("the threshold %q names %s, which is not in this run: it has %s", t.Text, name, strings.Join(labels, ", "))
			}
		}
	}
	return nil
}
