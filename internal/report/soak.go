package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// soakView is a soak in words.
type soakView struct {
	DUT, Color, Name, Length string
	Loss, Budget             string
	Kept                     bool
	Drifts                   []driftView
}

// driftView is how one quantity went in a soak.
type driftView struct {
	Quantity, Median, PerHour, Change, Verdict string
	Bad                                        bool // it rose, or fell
}

// soaks lists the soaks in the order of the view.
func (v view) soaks() []soakView {
	var all []soakView
	for _, one := range v.verdicts() {
		if one.Soak != nil {
			all = append(all, newSoakView(one))
		}
	}
	return all
}

func newSoakView(one verdict) soakView {
	k := one.Soak
	s := soakView{DUT: one.DUT, Color: one.Color, Kept: k.Kept, Length: soakLength(one.DurationS, k.PlannedS),
		Name: fmt.Sprintf("%s at %s kpps, %.4g %% of %s", one.Direction, kpps(one.Load.PPS), 100*k.Share, k.Of),
		Loss: lossRatio(one.FrameLossRatio), Budget: lossRatio(k.LossBudget)}
	if one.Repeat > 1 {
		s.Name += fmt.Sprintf(", repeat %d", one.Repeat)
	}
	for _, d := range k.Drifts {
		s.Drifts = append(s.Drifts, newDriftView(d))
	}
	return s
}

// soakLength is how long it was, and should have been.
func soakLength(s, planned float64) string {
	text := fmt.Sprintf("%.4g s", s)
	if s < 0.95*planned {
		text += fmt.Sprintf(" of %.4g s", planned)
	}
	return text
}

func newDriftView(d record.Drift) driftView {
	scale, unit := driftScale(d.Unit)
	number := func(v float64) string { return fmt.Sprintf("%+.3g", v*scale) }
	v := driftView{Quantity: d.Quantity, Verdict: d.Verdict, Bad: d.Verdict == "rises" || d.Verdict == "falls",
		Median: fmt.Sprintf("%.4g %s", d.Median*scale, unit)}
	if d.P == 0 && d.PerHour == 0 || math.IsNaN(d.Median) { // there was no test
		v.Median, v.PerHour, v.Change = notMeasured, notMeasured, notMeasured
		return v
	}
	v.PerHour = fmt.Sprintf("%s %s/h (%s..%s)", number(d.PerHour), unit, number(d.LowPerHr), number(d.HighPerHr))
	v.Change = fmt.Sprintf("%+.2g %% (allowed: %.3g %%)", 100*d.Change, 100*d.Tolerance)
	return v
}

// driftScale is the unit that a quantity is shown in.
func driftScale(unit string) (scale float64, shown string) {
	switch unit {
	case "ns":
		return 1e-3, "µs"
	case "bytes":
		return 1.0 / (1 << 20), "MiB"
	}
	return 1, unit
}

// Judgement is whether the loss was within the budget.
func (s soakView) Judgement() string {
	if s.Kept {
		return "within the budget"
	}
	return "over the budget"
}

// words tells a soak on one line.
func (s soakView) words() string {
	parts := []string{fmt.Sprintf("%s: %s, loss %s, budget %s, %s", s.Name, s.Length, s.Loss, s.Budget, s.Judgement())}
	for _, d := range s.Drifts {
		text := d.Quantity + " " + d.Verdict
		if d.Bad {
			text += " " + d.PerHour
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// soaks tells those of one DUT.
func (t *text) soaks(d dutView, v view) {
	for _, s := range v.soaks() {
		if s.DUT == d.Label {
			t.say("  soak ", s.words())
		}
	}
}

// soaks shows what long trials came to.
func (m *markdown) soaks(v view) {
	list := v.soaks()
	if len(list) == 0 {
		return
	}
	m.heading("Soak")
	m.linef("Slope (Theil and Sen) with its interval of 95 %%, tested by Mann and Kendall; the first tenth is left out.\n")
	var rows [][]string
	for _, s := range list {
		first := []string{escape(s.DUT), escape(s.Name), s.Length, s.Loss + "<br>budget " + s.Budget, "**" + s.Judgement() + "**"}
		for i, d := range s.Drifts {
			if i > 0 {
				first = make([]string, len(first))
			}
			rows = append(rows, append(first, d.Quantity, d.Median, d.PerHour, d.Change, d.Verdict))
		}
	}
	m.table([]string{"UPF", "Soak", "Length", "Frame loss ratio", "Loss", "Quantity", "Median", "Slope", "Change", "Drift"}, rows)
}
