package flows

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// OverTime draws the first valid repeat of each flow over time.
func OverTime(v *view.Run) block.Section {
	f := block.Figure{ID: "flows", Title: "Applications over time", Shape: block.XY, Follow: "x", ViewOf: "Which flow", Only: block.HTML,
		Caption: "The first valid repeat, a point each 0.5 s. One-way figures are those of upflab's own packets: " +
			"solid uplink, thin dashed downlink. " +
			"CPU also in the second before and after the flow; thin dashed: all CPUs, used by anything."}
	for _, kind := range record.FlowKinds() {
		for _, g := range v.Flows(kind) {
			add(&f, g)
		}
	}
	if f.Empty() {
		return block.Section{}
	}
	return block.Section{Title: "Applications over time", Blocks: []block.Block{f}}
}

// add puts the lines of a flow into the view of its name.
func add(f *block.Figure, g *view.FlowGroup) {
	at := slices.IndexFunc(f.Views, func(one block.View) bool { return one.Name == g.Name() })
	if at < 0 {
		at = len(f.Views)
		f.Views = append(f.Views, block.View{Name: g.Name(), Panels: panels(g.Kind)})
	}
	one := g.Used[0]
	if len(one.OneWay) > 0 {
		addOneWay(&f.Views[at], g)
	}
	list := f.Views[at].Panels
	for i, of := range figures(g.Kind) {
		if s := series(g, "solid"); fill(&s, one.Series, of) {
			list[i].Series = append(list[i].Series, s)
		}
	}
	last := &list[len(list)-1]
	upf, all := series(g, "solid"), series(g, "thin dashed")
	for _, p := range one.CPUSeries {
		upf.Data = append(upf.Data, block.Point{X: hundredths(p.T), Y: hundredths(p.DUT)})
		all.Data = append(all.Data, block.Point{X: hundredths(p.T), Y: hundredths(p.All)})
	}
	if len(one.CPUSeries) > 0 {
		last.Series = append(last.Series, upf, all)
	}
}

func series(g *view.FlowGroup, line string) block.Series {
	return block.Series{Name: g.UPF.Label, Color: g.UPF.Color(), Line: line, Bad: !g.Valid()}
}

func fill(s *block.Series, points []record.AppPoint, of func(record.AppPoint) float64) bool {
	for _, p := range points {
		s.Data = append(s.Data, block.Point{X: hundredths(p.T), Y: of(p)})
	}
	return len(s.Data) > 0
}

// figures gives the figures of a kind over time, one for each panel before that of the CPU.
func figures(kind string) []func(record.AppPoint) float64 {
	rate := func(p record.AppPoint) float64 { return math.Round(p.GoodputBPS) }
	times := func(p record.AppPoint) float64 { return gap(p.RTTNS) }
	jitter := func(p record.AppPoint) float64 { return gap(p.JitterNS) }
	switch kind {
	case record.FlowTCP:
		return []func(record.AppPoint) float64{rate, times, func(p record.AppPoint) float64 { return float64(p.Retransmits) }}
	case record.FlowUDP:
		return []func(record.AppPoint) float64{rate, jitter, func(p record.AppPoint) float64 { return p.LossRatio }}
	case record.FlowPing:
		return []func(record.AppPoint) float64{times, jitter}
	}
	return nil
}

func panels(kind string) []block.Panel {
	x := block.Axis{Label: "time", Unit: block.Seconds}
	rate := block.Panel{Title: "Goodput", X: x, Y: block.Axis{Label: "bits/s", Unit: block.BPS}}
	times := block.Panel{Title: "Round-trip time", X: x, Y: block.Axis{Label: "RTT", Unit: block.Nanos, Scale: block.Log}}
	jitter := block.Panel{Title: "Jitter", X: x, Y: block.Axis{Label: "jitter", Unit: block.Nanos, Scale: block.Log}}
	cpu := block.Panel{Title: "CPU", X: x, Y: block.Axis{Label: "cores", Unit: block.Cores, Least: 1}}
	switch kind {
	case record.FlowTCP:
		return []block.Panel{rate, times, {Title: "Retransmits", X: x, Y: block.Axis{Label: "segments"}}, cpu}
	case record.FlowUDP:
		return []block.Panel{rate, jitter, {Title: "Loss", X: x, Y: block.Axis{Label: "loss", Unit: block.Ratio}}, cpu}
	case record.FlowPing:
		return []block.Panel{times, jitter, cpu}
	}
	return []block.Panel{cpu}
}

// gap is NaN for a time that is not known.
func gap(ns uint64) float64 {
	if ns == 0 {
		return math.NaN()
	}
	return float64(ns)
}

func hundredths(v float64) float64 { return math.Round(v*100) / 100 }
