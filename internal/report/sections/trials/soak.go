package trials

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Soak is what long trials at one load came to.
func Soak(v *view.Run) block.Section {
	about := block.Table{Columns: []block.Column{block.Key("UPF"), block.Key("Soak"), block.Words("Length"), block.Number("Frame loss", ""),
		block.Number("Budget", ""), block.Words("Loss is")}}
	drifts := block.Table{Title: "Drift",
		Columns: []block.Column{block.Merged("UPF"), block.Merged("Soak").In(block.Pages), block.Words("Quantity"),
			block.Number("Median", ""), block.Number("Slope", ""), block.Number("Change", ""), block.Words("Verdict")}}
	for _, t := range v.Verdicts() {
		if t.Soak == nil {
			continue
		}
		about.Rows = append(about.Rows, soakRow(t))
		for _, d := range t.Soak.Drifts {
			cells := append([]block.Cell{t.Row.UPF.NameCell(), block.T(soakName(t))}, drift(d)...)
			drifts.Rows = append(drifts.Rows, block.Row{Cells: cells})
		}
	}
	if len(about.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Soak", Blocks: []block.Block{about, drifts},
		Hint: "Slope (Theil and Sen) with its interval of 95 %, tested by Mann and Kendall; the first tenth is left out."}
}

func soakRow(t view.Verdict) block.Row {
	k := t.Soak
	verdict := block.Cell{Text: "within the budget", Tone: block.Good}
	if !k.Kept {
		verdict = block.Cell{Text: "over the budget", Tone: block.Bad}
	}
	return block.Row{Cells: []block.Cell{t.Row.UPF.NameCell(), block.T(soakName(t)), block.T(soakLength(t.DurationS, k.PlannedS)),
		block.T(units.Loss(t.FrameLossRatio)), block.T(units.Loss(k.LossBudget)), verdict}}
}

func soakName(t view.Verdict) string {
	name := fmt.Sprintf("%s at %s kpps, %.4g %% of %s", t.Direction, units.Kpps(t.Load.PPS), 100*t.Soak.Share, t.Soak.Of)
	if t.Repeat > 1 {
		name += fmt.Sprintf(", repeat %d", t.Repeat)
	}
	return name
}

// soakLength is how long it was, and should have been.
func soakLength(s, planned float64) string {
	text := fmt.Sprintf("%.4g s", s)
	if s < 0.95*planned {
		text += fmt.Sprintf(" of %.4g s", planned)
	}
	return text
}

// drift is how one quantity changed: median, slope, change and verdict.
func drift(d record.Drift) []block.Cell {
	scale, unit := driftScale(d.Unit)
	signed := func(v float64) string { return fmt.Sprintf("%+.3g", v*scale) }
	verdict := block.Cell{Text: d.Verdict, Tone: block.Good}
	if d.Verdict == "rises" || d.Verdict == "falls" {
		verdict.Tone = block.Bad
	}
	if d.P == 0 && d.PerHour == 0 || math.IsNaN(d.Median) { // there was no test
		return append(block.Cells(d.Quantity, units.None, units.None, units.None), verdict)
	}
	return append(block.Cells(d.Quantity, median(d),
		fmt.Sprintf("%s %s/h (%s..%s)", signed(d.PerHour), unit, signed(d.LowPerHr), signed(d.HighPerHr)),
		fmt.Sprintf("%+.2g %% (allowed: %.3g %%)", 100*d.Change, 100*d.Tolerance)), verdict)
}

// median is that of a quantity with its unit.
func median(d record.Drift) string {
	if d.Unit == "ns" {
		return units.Time(d.Median)
	}
	scale, unit := driftScale(d.Unit)
	return fmt.Sprintf("%.4g %s", d.Median*scale, unit)
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
