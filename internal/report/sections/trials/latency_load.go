package trials

import (
	"math"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// LatencyByLoad draws latency against load, for the UPFs that have it at several
// loads. The table of latencies has its numbers.
func LatencyByLoad(v *view.Run) block.Section {
	f := block.Figure{ID: "latency-load", Title: "Latency against load", Shape: block.XY, Only: block.HTML,
		Caption: "One way, from the intended send time, at shares of each UPF's own non-drop rate. Lower and further right is better.",
		Legend:  []block.Sample{{Text: "p50", Line: "plain"}, {Text: "p99, hollow marks", Line: "plain thin dashed"}}}
	one := block.View{}
	bounds, above, all := 0, 0, 0
	for _, direction := range v.Directions {
		p := block.Panel{Title: string(direction), X: block.Axis{Label: "offered load", Unit: block.PPS, Scale: block.Log},
			Y: block.Axis{Label: "one-way latency", Unit: block.Nanos, Scale: block.Log},
			Tip: []block.Field{{Name: "p50", Unit: block.Nanos}, {Name: "p99", Unit: block.Nanos},
				{Name: "p99.9", Unit: block.Nanos}, {Name: "frame loss"}, {Name: "limited by"}}}
		for _, d := range v.UPFs {
			p.Series = append(p.Series, latencySeries(v, d, direction)...)
			for _, load := range v.Loads(record.KindLatency) {
				if r := d.Row(record.KindLatency, direction, load); r != nil {
					all++
					if r.LatencyAtMost(view.P99) {
						bounds++
					}
					if r.LatencyAtLeast(view.P99) {
						above++
					}
				}
			}
		}
		one.Panels = append(one.Panels, p)
	}
	one.Caption = strings.TrimSpace(view.AtMostWords(bounds, all) + " " + view.AtLeastWords(above, all))
	f.Views = []block.View{one}
	return figure(f)
}

// latencySeries are p99 and p50 of a UPF; none where there is but one load.
func latencySeries(v *view.Run, d *view.UPF, direction record.Direction) []block.Series {
	p99 := block.Series{Name: d.Label, Color: d.Color(), Line: "thin dashed", Mark: d.Mark()}
	p50 := block.Series{Name: d.Label, Color: d.Color(), Line: "solid", Mark: d.Mark()}
	for _, load := range v.Loads(record.KindLatency) {
		r := d.Row(record.KindLatency, direction, load)
		if r == nil || !(r.OfferedPPS() > 0) || r.Stat(view.LatencyOf(view.P50)).N == 0 {
			continue
		}
		p50.Data = append(p50.Data, latencyPoint(r, view.P50, ""))
		p99.Data = append(p99.Data, latencyPoint(r, view.P99, "hollow"))
	}
	if len(p50.Data) < 2 {
		return nil
	}
	return []block.Series{p99, p50}
}

func latencyPoint(r *view.Row, of func(*record.Latency) float64, style string) block.Point {
	if !r.Valid() {
		style = "cross"
	}
	ns := func(of func(*record.Latency) float64) float64 { return r.Stat(view.LatencyOf(of)).Median }
	return block.Point{X: math.Round(r.OfferedPPS()), Y: ns(of), Style: style,
		More: []any{ns(view.P50), ns(view.P99), ns(view.P999), r.Cell(view.Loss, units.Loss).Text, string(r.Limit())}}
}
