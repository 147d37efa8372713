package trials

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// AtDUT lists the delays between the ports of the UPFs, next to those end to end.
func AtDUT(v *view.Run) block.Section {
	columns := []column{loadColumn(), upfColumn(),
		cell("Packets", "timed", delayAt(func(l *record.Latency) float64 { return float64(l.Count) }), units.Nanos),
		atDUT("mean", view.LatMean), atDUT("p50", view.P50), atDUT("p95", view.P95), atDUT("p99", view.P99), atDUT("p99.9", view.P999),
		micros("end to end p50", view.P50), micros("p95", view.P95), micros("p99", view.P99),
	}
	s := block.Section{Title: "Delay at the UPF",
		Hint: "Of a sample of the packets, from the UPF's port where they come in to the port where they go out, " +
			"without the queue before the first. " +
			"What XDP sends is seen only at the other end of the link: there the delay holds the way over it, as " +
			"wire's does. Disturbed time is in it." + repeatHint(v)}
	for _, direction := range v.Directions {
		var rows []*view.Row
		for _, r := range v.AllRows(record.KindLoad, direction) {
			if !math.IsNaN(r.Stat(delayAt(view.LatMean)).Median) && r.Stat(delayAt(view.LatMean)).N > 0 {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			s.Blocks = append(s.Blocks, table(string(direction), rows, columns))
		}
	}
	return s
}

func atDUT(head string, of func(*record.Latency) float64) column {
	return cell(head, "µs", delayAt(of), units.Micros)
}

// delayAt is a figure of the delay at the UPF, ns.
func delayAt(of func(*record.Latency) float64) view.Quantity {
	return func(t *record.Trial) float64 { return view.OfLatency(t.AtDUT, of) }
}
