package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
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

// checkThresholds finds those that no trial could ever have a figure for.
func checkThresholds(s *Scenario, r *report) {
	applied := len(s.Flows) > 0
	for _, t := range s.ThresholdsOf() {
		for _, d := range t.Where.Directions {
			if !applied && !slices.Contains(s.Directions, d) {
				r.blame("the threshold %q is for %s, which is not among directions", []any{t.Text, d}, "thresholds")
			}
		}
		for _, l := range t.Where.Loads {
			if !applied && !offers(s, l) {
				r.blame("the threshold %q is for a load of %s, which is not among loads", []any{t.Text, l}, "thresholds")
			}
		}
	}
	for _, t := range s.ThresholdsOf() {
		if why := neverDecided(s, t); why != "" {
			r.blame("the threshold %q could never be decided: "+why, []any{t.Text}, "thresholds")
		}
	}
	if s.AbortOnFail && len(s.Thresholds) == 0 {
		r.blame("abort_on_fail needs thresholds: there is nothing that could fail", nil, "abort_on_fail")
	}
}

// neverDecided says why no trial or search of the scenario has what a threshold is about; "": one may.
func neverDecided(s *Scenario, t threshold.Threshold) string {
	switch f := t.Figure; {
	case f.Searched() && t.Limit.Of == "wire":
		return "wire is not searched; give a rate, or another UPF's"
	case f.Searched() && s.Search.Preset == SearchOff && !s.Soak.Asked() && !s.Stress.Asked():
		return "nothing is searched; use a scenario with a search such as ndr, or rx_pps"
	case f.Offered && f.Unit == figure.PPS && t.Lower() && t.Limit.Of == "" && len(t.Where.Loads) == 0 && ofPacedLoads(s):
		highest := slices.MaxFunc(s.Loads, func(a, b record.Load) int { return cmp.Compare(a.PPS, b.PPS) })
		if highest.PPS < t.Limit.Plus || t.Operator == threshold.Above && highest.PPS == t.Limit.Plus {
			return fmt.Sprintf("the highest load is %s; add a load of %s or more, or max", highest, figure.Write(t.Limit.Plus, figure.PPS))
		}
	}
	return ""
}

// ofPacedLoads reports whether all loads are rates that the scenario names.
func ofPacedLoads(s *Scenario) bool {
	return !s.OfCases() && len(s.Flows) == 0 && len(s.Loads) > 0 && !s.Stress.Asked() && !s.Soak.Asked() &&
		!slices.ContainsFunc(s.Loads, func(l record.Load) bool { return l.Kind != record.LoadRate || l.PPS == 0 })
}

// offers reports whether trials with a load may come; shares and loads that the run
// chooses are known only then.
func offers(s *Scenario, l record.Load) bool {
	chosen := slices.ContainsFunc(s.Loads, func(l record.Load) bool { return l.Kind == record.LoadAuto })
	return chosen || l.Share > 0 || slices.Contains(s.Control.Churn, l) || slices.Contains(s.Loads, l) || s.Latency.Rate == l
}

// ThresholdNames gives an error when a threshold names a DUT that is not in the run, or compares one with itself;
// labels are NAME:MODE of all of the run.
func (s *Scenario) ThresholdNames(labels []string) error {
	return threshold.CheckNames(s.ThresholdsOf(), labels)
}

// checkRanges holds values with a unit against the range that the schema names
// in x-range; plain integers are JSON Schema's own minimum and maximum.
func checkRanges(root *document.Node) []document.Problem {
	var problems []document.Problem
	for _, key := range schema.All() {
		if key.RangeFor == "" {
			continue
		}
		for _, found := range root.FindAll(key.Path) {
			for _, v := range found.Values() {
				if p, bad := outOfRange(key, v); bad {
					problems = append(problems, p)
				}
			}
		}
	}
	return problems
}

func outOfRange(key schema.Key, v *document.Node) (document.Problem, bool) {
	low, high, _ := strings.Cut(key.RangeFor, "..")
	got, err := magnitude(key, v.Short())
	if err != nil || v.Short() == "max" || v.Short() == "recorded" || v.Short() == "auto" {
		return document.Problem{}, false
	}
	from, errFrom := magnitude(key, low)
	to, errTo := magnitude(key, high)
	if errFrom != nil || errTo != nil || (from <= got && got <= to) {
		return document.Problem{}, false
	}
	return document.ProblemAt(v.At, key.Path, "%s is %s, out of range; %s", key.Path, v.Describe(), key.Accepts()), true
}

// magnitude is a value of the key's type as a number.
func magnitude(key schema.Key, text string) (float64, error) {
	switch key.Format {
	case "upflab-size":
		n, err := ParseSize(text)
		return float64(n), err
	case "upflab-duration":
		d, err := ParseDuration(text)
		return float64(d.Duration), err
	case "upflab-rate", "upflab-load":
		l, err := ParseLoad(text)
		return l.PPS, err
	}
	return 0, fmt.Errorf("%s has a range but no unit", key.Path)
}
