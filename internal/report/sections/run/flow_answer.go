package run

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// flowsSentence is what applications saw of a UPF, in the words of one line.
func flowsSentence(v *view.Run, d *view.UPF) string {
	var parts []string
	for _, kind := range record.FlowKinds() {
		for _, g := range v.Flows(kind) {
			if g.UPF == d {
				parts = append(parts, g.Name()+": "+flowFigure(g))
			}
		}
	}
	return strings.Join(parts, "; ")
}

func flowFigure(g *view.FlowGroup) string {
	if !g.Valid() {
		return "not valid"
	}
	if record.InFrames(g.Kind) {
		return framesFigure(g)
	}
	if g.Kind == record.FlowPing || g.Kind == record.FlowHTTP {
		p50 := g.Mean(func(f *record.AppFlow) float64 { return appTime(f, func(t *record.AppTime) uint64 { return t.P50 }) })
		p99 := g.Mean(func(f *record.AppFlow) float64 { return appTime(f, func(t *record.AppTime) uint64 { return t.P99 }) })
		return fmt.Sprintf("p50 %s, p99 %s", units.Time(p50), units.Time(p99))
	}
	text := fmt.Sprintf("%s Gbit/s", units.Gbps(g.Mean(func(f *record.AppFlow) float64 { return f.GoodputBPS })))
	if loss := g.Mean(func(f *record.AppFlow) float64 { return f.LossRatio }); loss > 0 {
		text += ", loss " + units.Loss(loss)
	}
	return text + " (limited by " + g.Limit().Text + ")"
}

// framesFigure is how many frames of either direction came in time, in the repeats that count.
func framesFigure(g *view.FlowGroup) string {
	var parts []string
	for i, one := range g.Used[0].Frames {
		inTime := g.Mean(func(f *record.AppFlow) float64 { return f.Frames[i].InTimeRatio() })
		parts = append(parts, fmt.Sprintf("%s %% of frames %s", units.Number(100*inTime, "%.2f"), one.Direction))
	}
	return strings.Join(parts, ", ") + " whole and in time"
}

func appTime(f *record.AppFlow, of func(*record.AppTime) uint64) float64 {
	if f.RTT == nil {
		return 0
	}
	return float64(of(f.RTT))
}
