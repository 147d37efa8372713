package sweep

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// baseline is the model that others are compared with.
const baseline = "M/M/1"

// part is a figure of latency that models predict.
type part struct {
	name     string // as residuals name it
	of       func(*record.Latency) float64
	predicts func(load float64, p record.Predicted) float64
}

func parts() []part {
	return []part{
		{"mean", view.LatMean, func(_ float64, p record.Predicted) float64 { return p.MeanNS }},
		{"p95", view.P95, func(_ float64, p record.Predicted) float64 { return p.P95NS }},
		{"p99", view.P99, func(_ float64, p record.Predicted) float64 { return p.P99NS }},
	}
}

// Percentiles draws mean, p95 and p99 of one UPF with the chosen model and M/M/1.
func Percentiles(v *view.Run) block.Section {
	f := block.Figure{ID: "percentiles", Title: "Percentiles and models", Shape: block.XY,
		Caption: "One way, from the intended send time. Marks are measured, with the range or interval over the " +
			"repeats; lines are models with their 95 % intervals; the dotted line is the target."}
	each(v, &f, percentiles)
	return figure(f)
}

func percentiles(s view.Sweep) (one block.View) {
	for _, q := range parts() {
		points := known(s, view.LatencyOf(q.of))
		if len(points) == 0 {
			continue
		}
		p := block.Panel{Title: q.name, X: loadAxis(), Y: latencyAxis(q.name + " of one-way latency"), Areas: safeAreas(s)}
		if chosen := s.Chosen(); chosen != nil {
			p.Series = append(p.Series, curve(chosen, chosen.Name, "c2", "solid", q.predicts))
		}
		if other := s.Model(baseline); other != nil && !other.Chosen && len(other.Curve) > 0 {
			p.Series = append(p.Series, curve(other, baseline, "c1", "thin dashed", q.predicts))
		}
		p.Series = append(p.Series, measured(points, "measured", s.UPF, ""))
		if safe := s.Safe(); q.name == "p99" && safe != nil && safe.Target.P99NS > 0 {
			p.Rules = []block.Rule{{Y: block.Known(safe.Target.P99NS), Text: "target " + units.Time(safe.Target.P99NS)}}
		}
		if one.Panels = append(one.Panels, p); q.name == "p99" {
			one.Caption = sentences([]string{saysTail(s, points), saysModel(s), saysSafe(s), s.AtMost(q.of), s.AtLeast()})
		}
	}
	return one
}

// saysModel is how well models predict p99.
func saysModel(s view.Sweep) string {
	chosen, other := s.Chosen(), s.Model(baseline)
	if chosen == nil {
		if len(s.UPF.Models) > 0 {
			return "No queueing model fits."
		}
		return ""
	}
	text := fmt.Sprintf("The chosen model is %s", chosen.Name)
	if chosen.P99ErrorRatio != nil {
		text += fmt.Sprintf(": p99 at loads left out of the fit is off by %s on average", percent(*chosen.P99ErrorRatio))
	}
	if other != nil && !other.Chosen && other.P99ErrorRatio != nil {
		text += fmt.Sprintf("; by %s it would be %s", baseline, percent(*other.P99ErrorRatio))
	}
	return text + "."
}

// saysSafe is the safe load of each target.
func saysSafe(s view.Sweep) string {
	var list []string
	for _, safe := range s.SafeLoads() {
		if safe.AtLeast {
			list = append(list, fmt.Sprintf("Every load keeps %s.", view.TargetText(safe.Target)))
			continue
		}
		if safe.Disturbed {
			list = append(list, fmt.Sprintf("Loads at least up to %s keep %s; higher ones were disturbed, so that their "+
				"latency is at most what was measured.", units.Rate(safe.PPS), view.TargetText(safe.Target)))
			continue
		}
		if safe.FewRepeats {
			list = append(list, fmt.Sprintf("Up to %s keep %s, one load below the highest that does: fewer than three repeats do not show the scatter.",
				units.Rate(safe.PPS), view.TargetText(safe.Target)))
			continue
		}
		if safe.Measured {
			list = append(list, fmt.Sprintf("Loads up to %s keep %s; the next that counts, %s, does not.",
				units.Rate(safe.PPS), view.TargetText(safe.Target), units.Rate(safe.HighPPS)))
			continue
		}
		list = append(list, fmt.Sprintf("Up to %s (the lower limit of the 95 %% interval, which reaches to "+
			"%s) keep %s.", units.Rate(safe.PPS), units.Rate(safe.HighPPS), view.TargetText(safe.Target)))
	}
	return sentences(list)
}
