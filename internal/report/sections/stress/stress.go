// Package stress has the sections of a report that are about how a stress study was
// made: what its loads are shares of, how long the UPFs took to settle, what timing
// packets at their ports cost, and their service times.
package stress

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Study is all that a stress study has besides its trials.
func Study(v *view.Run) block.Section {
	s := block.Section{Title: "How the stress study was made"}
	for _, t := range []block.Table{capacities(v), warmups(v), tapCosts(v), serviceTimes(v)} {
		if len(t.Rows) > 0 {
			s.Blocks = append(s.Blocks, t)
		}
	}
	return s
}

// rows makes a row of each item of each UPF.
func rows[T any](v *view.Run, of func(*record.Stress) []T, row func(*view.UPF, T) []block.Cell) (list []block.Row) {
	for _, d := range v.UPFs {
		if d.Stress == nil {
			continue
		}
		for _, x := range of(d.Stress) {
			list = append(list, block.Row{Cells: row(d, x)})
		}
	}
	return list
}

func capacities(v *view.Run) block.Table {
	return block.Table{Title: "Capacity, which the loads are shares of",
		Columns: []block.Column{block.Key("UPF"), block.Words("Direction"), block.Number("Capacity", "kpps"),
			block.Number("Loss allowed", ""), block.Number("Trials", ""),
			block.Number("Generator's highest", "kpps")},
		Rows: rows(v, func(s *record.Stress) []record.Capacity { return s.Capacities }, func(d *view.UPF, c record.Capacity) []block.Cell {
			return []block.Cell{d.NameCell(), block.T(string(c.Direction)),
				block.T(view.AtLeast(c.AtLeast, units.Kpps(c.PPS))), block.T(units.Loss(c.LossRatio)),
				block.T(fmt.Sprint(c.Trials)), block.T(units.Kpps(c.HighestPPS))}
		})}
}

func warmups(v *view.Run) block.Table {
	return block.Table{Title: "Warm-up, by MSER-5 over a trial without one",
		Columns: []block.Column{block.Key("UPF"), block.Words("Direction"), block.Words("Load"),
			block.Number("Settled after", "s"), block.Number("Warm-up used", "s"), block.Prose("")},
		Rows: rows(v, func(s *record.Stress) []record.Warmup { return s.Warmups }, func(d *view.UPF, w record.Warmup) []block.Cell {
			settled := units.None
			if w.Settled {
				settled = units.Number(w.Seconds, "%.2f")
			}
			return []block.Cell{d.NameCell(), block.T(string(w.Direction)), block.T(w.Load.String()),
				block.T(settled), block.T(units.Number(w.UsedS, "%.2f")), block.T(w.Why)}
		})}
}

func tapCosts(v *view.Run) block.Table {
	return block.Table{Title: "What timing packets at the UPF's ports costs",
		Columns: []block.Column{block.Key("UPF"), block.Words("Direction"), block.Words("Load"), block.Words("Timed"),
			block.Number("p50 without", "µs"), block.Number("with", "µs"),
			block.Number("CPU without", "cores"), block.Number("with", "cores"), block.Number("Pairs", "trials")},
		Rows: rows(v, func(s *record.Stress) []record.TapCost { return s.TapCosts }, func(d *view.UPF, c record.TapCost) []block.Cell {
			return []block.Cell{d.NameCell(), block.T(string(c.Direction)), block.T(c.Load.String()), block.T(fmt.Sprintf("1 in %d", c.Every)),
				block.T(units.Micros(c.P50Without)), block.T(units.Micros(c.P50With)),
				block.T(units.Cores(c.CoresWithout)), block.T(units.Cores(c.CoresWith)),
				block.T(fmt.Sprint(c.Pairs))}
		})}
}

func serviceTimes(v *view.Run) block.Table {
	return block.Table{Title: "Service time: the delay at the UPF at the lowest load",
		Columns: []block.Column{block.Key("UPF"), block.Words("Direction"), block.Words("Arrivals"),
			block.Number("Load", "kpps"), block.Number("Mean", "µs"),
			block.Number("Variation", "SCV"), block.Number("p50", "µs"), block.Number("p95", "µs"),
			block.Number("p99", "µs"), block.Number("Packets", "timed")},
		Rows: rows(v, func(s *record.Stress) []record.ServiceTime { return s.ServiceTimes },
			func(d *view.UPF, x record.ServiceTime) []block.Cell {
				return []block.Cell{d.NameCell(), block.T(string(x.Direction)), block.T(record.ArrivalsTitle(x.Arrivals)),
					block.T(units.Kpps(x.LoadPPS)), block.T(units.Micros(x.MeanNS)),
					block.T(units.Number(x.SCV, "%.2f")), block.T(units.Micros(float64(x.Delays.P50))), block.T(units.Micros(view.P95(x.Delays))),
					block.T(units.Micros(float64(x.Delays.P99))), block.T(units.Count(x.Delays.Count))}
			})}
}
