package sweep

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// AtUPF draws the delay between the UPF's ports next to the latency end to end, where a
// sample of packets was timed there.
func AtUPF(v *view.Run) block.Section {
	f := block.Figure{ID: "at-upf", Title: "Delay at the UPF", Shape: block.XY,
		Caption: "Solid: between the UPF's two ports, of a sample of the packets. Dashed: end to end, from the " +
			"intended send time, which holds both links and the queue before the UPF."}
	each(v, &f, atUPF)
	return figure(f)
}

func atUPF(s view.Sweep) (one block.View) {
	for _, q := range []struct {
		name string
		of   func(*record.Latency) float64
	}{{"p50", view.P50}, {"p99", view.P99}} {
		inside, outside := known(s, view.AtDUTOf(q.of)), known(s, view.LatencyOf(q.of))
		if len(inside) == 0 {
			continue
		}
		p := block.Panel{Title: q.name, X: loadAxis(), Y: latencyAxis(q.name + " of the delay")}
		all := measured(outside, "end to end", s.UPF, "dashed")
		all.Color, all.Mark = "c7", "square"
		p.Series = []block.Series{all, measured(inside, "at the UPF", s.UPF, "solid")}
		one.Panels = append(one.Panels, p)
		first, last := inside[0], inside[len(inside)-1]
		one.Caption = sentences([]string{one.Caption, fmt.Sprintf("At the UPF itself %s is %s at %s and %s at %s.", q.name,
			units.Time(first.Value), units.Rate(first.pps), units.Time(last.Value), units.Rate(last.pps))})
	}
	return one
}
