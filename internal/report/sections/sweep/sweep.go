// Package sweep has the charts of a report that are made where many loads were
// measured: CPU, memory, throughput, loss and latency over load with the curves of
// queueing models, their residuals, the CPU over time, and where latencies lie. Each
// has a caption that says what one sees in it, made from the data.
package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// Figures are the charts, in the order of the report.
func Figures() []func(*view.Run) block.Section {
	return []func(*view.Run) block.Section{Throughput, Loss, Latency, Percentiles, Residuals, Heat, AtUPF, Service,
		CPU, Memory, CPUOverTime, Timelines}
}

// Findings are the captions of the charts, for formats that do not draw.
func Findings(v *view.Run) block.Section {
	s := block.Section{Title: "What the loads show", Only: block.Text | block.Markdown}
	list := block.List{}
	for _, of := range Figures() {
		for _, b := range of(v).Blocks {
			list.Items = append(list.Items, captions(b.(block.Figure))...)
		}
	}
	if len(list.Items) > 0 {
		s.Blocks = append(s.Blocks, list)
	}
	return s
}

func captions(f block.Figure) (items []block.Item) {
	for _, one := range f.Views {
		label := f.Title
		if one.Name != "" {
			label += ", " + one.Name
		}
		if one.Caption != "" {
			items = append(items, block.Item{Label: label, Text: one.Caption})
		}
	}
	return items
}

// figure is a section of a figure; none where there is nothing to draw.
func figure(f block.Figure) block.Section {
	if f.Empty() {
		return block.Section{}
	}
	return block.Section{Blocks: []block.Block{f}}
}

// each makes a view of every sweep of a UPF, for charts that show one at a time.
func each(v *view.Run, f *block.Figure, of func(view.Sweep) block.View) {
	f.ViewOf, f.Only = "Which UPF", block.HTML
	for _, s := range v.Sweeps() {
		if s.UPF.Reference {
			continue
		}
		one := of(s)
		if len(one.Panels) == 0 {
			continue
		}
		one.Name = s.UPF.Label + " " + string(s.Direction)
		f.Views = append(f.Views, one)
	}
}

// safeAreas shade the safe load of a sweep.
func safeAreas(s view.Sweep) []block.Area {
	safe := s.Safe()
	if safe == nil {
		return nil
	}
	if safe.AtLeast || safe.Disturbed || !(safe.HighPPS > safe.LowPPS) {
		return []block.Area{{To: block.Num(safe.PPS), Text: "safe"}}
	}
	return []block.Area{{To: block.Num(safe.LowPPS), Text: "safe"}, {From: block.Num(safe.LowPPS), To: block.Num(safe.HighPPS), Pale: true}}
}

// sentences joins what is said of several sweeps.
func sentences(list []string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " ")
}

// subject begins a sentence about a sweep: "Uplink, eupf:native: ".
func subject(s view.Sweep) string {
	d := string(s.Direction)
	if d != "" {
		d = strings.ToUpper(d[:1]) + d[1:] + ", "
	}
	return d + s.UPF.Label + ": "
}

// percent writes a ratio with two digits.
func percent(ratio float64) string {
	if ratio >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*ratio)
	}
	return fmt.Sprintf("%.2g %%", 100*ratio)
}

// known keeps the points at which a figure was measured.
func known(s view.Sweep, of view.Quantity) (points []point) {
	for _, p := range s.Points {
		if e := p.Estimate(of); !math.IsNaN(e.Value) {
			points = append(points, point{p.PPS, e, p.Hosts()})
		}
	}
	return points
}

// point is a figure at a load.
type point struct {
	pps float64
	view.Estimate
	hosts bool // the machine limited it: it says nothing of the UPF
}
