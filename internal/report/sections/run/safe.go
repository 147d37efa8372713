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

// safeSentences say for an operator how far a UPF may be loaded, one for each direction: by
// the tightest target that some load keeps, and the arrival process that keeps it least.
func safeSentences(v *view.Run, d *view.UPF) (list []string) {
	for _, direction := range v.Directions {
		for _, class := range classesOf(d) {
			if s, ok := safest(d, direction, class); ok {
				list = append(list, string(direction)+": "+safeSentence(s, len(v.Host.Placement.DUT)))
			}
		}
	}
	return list
}

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

func safest(d *view.UPF, direction record.Direction, class string) (best record.SafeLoad, found bool) {
	tightness := func(s record.SafeLoad) float64 {
		if s.Target.P99NS == 0 {
			return math.Inf(1)
		}
		return s.Target.P99NS
	}
	lost := map[record.LoadTarget]bool{} // some arrival process keeps it at no load
	for _, s := range d.SafeLoads {
		if s.Class == class && s.Direction == direction && s.PPS <= 0 {
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

func safeSentence(s record.SafeLoad, cpus int) string {
	what := fmt.Sprintf("at most %s is lost", percentage(s.Target.LossRatio))
	if s.Target.P99NS > 0 {
		what = "99 % of packets pass within " + units.Time(s.Target.P99NS)
	}
	cpu := ""
	if s.CPUCores > 0 && cpus > 0 {
		cpu = fmt.Sprintf(" (%.0f %% of its CPU)", 100*s.CPUCores/float64(cpus))
	}
	if s.Class != "" {
		return classSentence(s, what)
	}
	text := fmt.Sprintf("keep this UPF under %s%s and %s", units.Rate(s.PPS), cpu, what)
	if s.AtLeast {
		text = fmt.Sprintf("at %s%s, the highest load measured, %s", units.Rate(s.PPS), cpu, what)
	}
	if s.Measured {
		text += " (as measured; no model fits)"
	}
	return text
}

// classSentence is that of one class of traffic.
func classSentence(s record.SafeLoad, what string) string {
	text := fmt.Sprintf("keep %s under %s beside %s of the others and %s of it", s.Class, units.Rate(s.PPS), units.Rate(s.OtherPPS), what)
	if s.AtLeast {
		text = fmt.Sprintf("at %s of %s beside %s of the others, the highest loads measured, %s of it",
			units.Rate(s.PPS), s.Class, units.Rate(s.OtherPPS), what)
	}
	if s.AlonePPS > s.PPS {
		text += fmt.Sprintf(" (alone it could have %s)", units.Rate(s.AlonePPS))
	}
	if s.Measured {
		text += " (as measured; no model fits)"
	}
	return text
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
