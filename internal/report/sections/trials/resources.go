package trials

import (
	"fmt"
	"math"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Resources lists what the UPFs of a stress study took at each load: CPU, memory, context
// switches, energy.
func Resources(v *view.Run) block.Section {
	s := block.Section{Title: "CPU, memory and energy by load",
		Hint: "Busy: each CPU of the machine by number, used by anything." + repeatHint(v)}
	columns := []column{loadColumn(), upfColumn(), cpuOf("CPU", "cores", view.Cores, units.Cores), cell("Memory", "MiB", mebibytes, oneDigit),
		cell("Context switches", "1/s", switches, units.Nanos), {block.Words("Busy"), busy},
		cell("Power", "W", watts, oneDigit), cell("Energy", "J/Gbit", perGbit, threeDigits)}
	for _, direction := range v.Directions {
		var rows []*view.Row
		for _, r := range v.AllRows(record.KindLoad, direction) {
			if r.UPF.Stress != nil {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			s.Blocks = append(s.Blocks, table(string(direction), rows, columns))
		}
	}
	if len(s.Blocks) > 0 {
		s.Blocks = append(s.Blocks, block.Note{Tone: block.Muted, Text: energyWords(v)})
	}
	return s
}

func oneDigit(x float64) string    { return units.Number(x, "%.1f") }
func threeDigits(x float64) string { return units.Number(x, "%.3g") }

func mebibytes(t *record.Trial) float64 { return view.Memory(t) / (1 << 20) }

func switches(t *record.Trial) float64 {
	if t.Evidence == nil || t.Evidence.SwitchesPerS == nil {
		return math.NaN()
	}
	return *t.Evidence.SwitchesPerS
}

func watts(t *record.Trial) float64 {
	if t.Energy == nil {
		return math.NaN()
	}
	return t.Energy.Watts
}

func perGbit(t *record.Trial) float64 {
	if t.Energy == nil || t.Energy.JoulesPerGbit == 0 {
		return math.NaN()
	}
	return t.Energy.JoulesPerGbit
}

// busy is that of each CPU in the first of the repeats that count.
func busy(r *view.Row) block.Cell {
	var words []string
	for _, c := range r.Used[0].CPU.PerCore {
		words = append(words, fmt.Sprintf("%d: %.0f %%", c.CPU, 100*c.Busy))
	}
	return block.T(units.OrNone(strings.Join(words, ", ")))
}

// energyWords says what the energy is, or that it is unknown; and what is taken idle.
func energyWords(v *view.Run) string {
	idle, n := 0.0, 0.0
	for _, d := range v.UPFs {
		if d.Stress == nil {
			continue
		}
		for _, line := range d.Stress.Timelines {
			for _, m := range line.Points {
				if m.T < 0 && m.Watts > 0 {
					idle, n = idle+m.Watts, n+1
				}
			}
		}
	}
	if n == 0 {
		return "Energy is unknown: this machine does not show what its processors take (RAPL); most virtual machines do not. " +
			"`upflab energy` takes a power meter's file."
	}
	return fmt.Sprintf("Power is that of all processors of the machine by their own counters (RAPL), the "+
		"generator's included; without traffic it is %.1f W.", idle/n)
}
