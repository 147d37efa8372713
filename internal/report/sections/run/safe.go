package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// classesOf are the classes of traffic that have safe loads, all packets first.
func classesOf(d *view.UPF) []string {
	list := []string{""}
	for _, s := range d.SafeLoads {
		if !slices.Contains(list, s.Class) {
			list = append(list, s.Class)
		}
	}
	return list
}

// safest is, for an operator, how far a UPF may be loaded: by the tightest target that some load keeps,
// and the arrival process that keeps it least.
func safest(d *view.UPF, direction record.Direction, class string) (best record.SafeLoad, found bool) {
	tightness := func(s record.SafeLoad) float64 {
		if s.Target.P99NS == 0 {
			return math.Inf(1)
		}
		return s.Target.P99NS
	}
	lost := map[record.LoadTarget]bool{} // some arrival process keeps it at no load
	for _, s := range d.SafeLoads {
		if s.Class == class && s.Direction == direction && s.PPS <= 0 && s.EstimatePPS <= 0 {
			lost[s.Target] = true
		}
	}
	for _, s := range d.SafeLoads {
		if s.Class != class || s.Direction != direction || lost[s.Target] {
			continue
		}
		closer := cmp.Or(cmp.Compare(tightness(s), tightness(best)), cmp.Compare(s.PPS, best.PPS))
		if !found || closer < 0 {
			best, found = s, true
		}
	}
	return best, found
}

// safeLine says how far a UPF may be loaded; cpus are how many it has.
func safeLine(s record.SafeLoad, cpus int, u units.Rates) block.Line {
	what := fmt.Sprintf("at most %s is lost", percentage(s.Target.LossRatio))
	if s.Target.P99NS > 0 {
		what = "99 % of packets pass within " + units.Time(s.Target.P99NS)
	}
	l := block.Line{Lead: "keep this UPF under ", Figure: u.Text(s.PPS)}
	cpu := ""
	if s.CPUCores > 0 && cpus > 0 {
		cpu = fmt.Sprintf(" (%.0f %% of its CPU)", 100*s.CPUCores/float64(cpus))
	}
	switch {
	case s.Class != "":
		l = classLine(s, what, u)
	case s.AtLeast:
		l.Lead, l.Text = "at ", cpu+", the highest load measured, "+what
	case s.Disturbed:
		l.Lead, l.Text = "at least up to ", cpu+", "+what+"; higher loads were disturbed, measure them on a quieter machine"
	default:
		l.Text = cpu + " and " + what
	}
	switch {
	case s.FewRepeats:
		l.Text += " (as measured, one load below the highest that keeps it: there are fewer than three repeats)"
	case s.Measured:
		l.Text += " (as measured; no model fits)"
	}
	return l
}

// classLine is that of one class of traffic.
func classLine(s record.SafeLoad, what string, u units.Rates) block.Line {
	l := block.Line{Lead: "keep " + s.Class + " under ", Figure: u.Text(s.PPS),
		Text: fmt.Sprintf(" beside %s of the others and %s of it", u.Text(s.OtherPPS), what)}
	if s.AtLeast {
		l.Lead, l.Text = "at ", fmt.Sprintf(" of %s beside %s of the others, the highest loads measured, %s of it",
			s.Class, u.Text(s.OtherPPS), what)
	}
	if s.Disturbed {
		l.Lead = "at least up to "
		l.Text = fmt.Sprintf(" of %s beside %s of the others %s of it; higher loads were disturbed", s.Class, u.Text(s.OtherPPS), what)
	}
	if s.AlonePPS > s.PPS {
		l.Text += fmt.Sprintf(" (alone it could have %s)", u.Text(s.AlonePPS))
	}
	return l
}

func percentage(ratio float64) string { return units.Number(100*ratio, "%.3g") + " %" }

// problems are what a stress study could not say.
func problems(v *view.Run) (notes []block.Block) {
	for _, d := range v.UPFs {
		if d.Stress == nil {
			continue
		}
		for _, text := range slices.Compact(slices.Clone(d.Stress.Problems)) {
			notes = append(notes, block.Note{Tone: block.Warn, Label: d.Label, Text: text})
		}
	}
	return notes
}
