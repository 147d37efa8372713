package trials

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Classes is the safe load of each class of traffic, what the others cost it, and what was
// measured of it.
func Classes(v *view.Run) block.Section {
	s := block.Section{Title: "Classes of traffic",
		Hint: "Sessions with one QFI in one slice. Latency is that of a sample of the packets, from the intended " +
			"send time to where they go out of the UPF. " +
			"Disturbed time is in it. Loss is that of the windows that count, split among the classes as in the whole trial."}
	if t := classSafeTable(v); len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks,
			block.Section{Title: "Safe load of each class",
				Hint: "Beside the others, which send their shares of the load as measured; alone is what the class " +
					"could have of the UPF without them, " +
					"by the model, which takes all classes for equal there.", Blocks: []block.Block{t}})
	}
	for _, direction := range v.Directions {
		for _, name := range classNames(v, direction) {
			s.Blocks = append(s.Blocks, classTable(v, direction, name))
		}
	}
	return s
}

func classSafeTable(v *view.Run) block.Table {
	t := block.Table{Columns: []block.Column{block.Merged("Direction"), block.Merged("UPF"), block.Merged("Class"),
		block.Key("Target"), block.Number("Safe load", "kpps"),
		block.Number("The others then", "kpps"), block.Number("Alone", "kpps"),
		block.Number("The others cost", "kpps"), block.Number("and add to p99", "µs"), block.Prose("")}}
	for _, direction := range v.Directions {
		for _, d := range v.UPFs {
			for _, s := range d.SafeLoads {
				if s.Class != "" && s.Direction == direction && (v.Size == "" || s.Size == v.Size) {
					t.Rows = append(t.Rows, classSafeRow(d, s))
				}
			}
		}
	}
	return t
}

func classSafeRow(d *view.UPF, s record.SafeLoad) block.Row {
	plain := safeRow(d, s).Cells
	other, alone, cost, added := units.None, units.None, units.None, units.None
	if s.PPS > 0 {
		other = units.Kpps(s.OtherPPS)
	}
	if s.AlonePPS > 0 {
		alone, cost, added = view.AtLeast(s.AtLeast || s.Disturbed, units.Kpps(s.AlonePPS)), units.Kpps(s.AlonePPS-s.PPS), units.Micros(s.OtherP99NS)
	}
	return block.Row{Cells: []block.Cell{plain[0], plain[1], block.T(s.Class), plain[2], plain[3], block.T(other),
		block.T(alone), block.T(cost), block.T(added), plain[5]}}
}

// classNames are the classes of the trials of a direction, in the order of the sessions.
func classNames(v *view.Run, direction record.Direction) (names []string) {
	for _, r := range v.AllRows(record.KindLoad, direction) {
		for _, t := range r.Used {
			for _, c := range t.Classes {
				names = append(names, c.Class)
			}
			if len(names) > 0 {
				return names
			}
		}
	}
	return nil
}

func classTable(v *view.Run, direction record.Direction, name string) block.Table {
	of := func(figure func(*record.Class) float64) view.Quantity {
		return func(t *record.Trial) float64 {
			for i := range t.Classes {
				if t.Classes[i].Class == name {
					return figure(&t.Classes[i])
				}
			}
			return math.NaN()
		}
	}
	latency := func(head string, of1 func(*record.Latency) float64) column {
		return cell(head, "µs", of(func(c *record.Class) float64 { return view.OfLatency(c.Latency, of1) }), units.Micros)
	}
	return table(string(direction)+", "+name, v.AllRows(record.KindLoad, direction), []column{loadColumn(), upfColumn(),
		cell("Its load", "kpps", of(func(c *record.Class) float64 { return c.TxPPS }), units.Kpps),
		cell("Loss", "", of(func(c *record.Class) float64 { return c.FrameLossRatio }), units.Loss),
		latency("mean", view.LatMean), latency("p50", view.P50), latency("p95", view.P95), latency("p99", view.P99),
		cell("at the UPF p50", "µs", of(func(c *record.Class) float64 { return view.OfLatency(c.AtDUT, view.P50) }), units.Micros),
		cell("p99", "µs", of(func(c *record.Class) float64 { return view.OfLatency(c.AtDUT, view.P99) }), units.Micros),
	})
}
