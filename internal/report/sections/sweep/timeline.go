package sweep

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Timelines draws CPU, memory and what arrived before, during and after the traffic of a
// trial.
func Timelines(v *view.Run) block.Section {
	f := block.Figure{ID: "timeline", Title: "Before, during and after the traffic", Shape: block.XY, Follow: "x",
		ViewOf: "Which UPF", Only: block.HTML,
		Caption: "Time 0 is the first packet; the lines across are where the traffic begins and ends."}
	for _, s := range v.Sweeps() {
		if s.UPF.Stress == nil {
			continue
		}
		for _, t := range s.UPF.Stress.Timelines {
			if t.Direction == s.Direction && t.Arrivals == s.Arrivals && len(t.Points) > 1 {
				f.Views = append(f.Views, timeline(s, t))
			}
		}
	}
	return figure(f)
}

func timeline(s view.Sweep, t record.Timeline) block.View {
	one := block.View{Name: s.UPF.Label + " " + string(s.Direction) + " " + t.Load.String(), Caption: saysTimeline(t)}
	for _, q := range moments() {
		line := block.Series{Name: s.UPF.Label, Color: s.UPF.Color(), Line: "solid"}
		some := false
		for _, m := range t.Points {
			y := q.of(m)
			line.Data = append(line.Data, block.Point{X: math.Round(m.T*100) / 100, Y: digits(y)})
			some = some || y > 0
		}
		if some {
			one.Panels = append(one.Panels,
				block.Panel{Title: q.title, X: block.Axis{Label: "time", Unit: block.Seconds}, Y: q.y,
					Series: []block.Series{line},
					Rules:  []block.Rule{{X: block.Known(0), Dashed: true}, {X: block.Known(t.DurationS), Dashed: true}}})
		}
	}
	return one
}

// moment is a figure of a timeline.
type moment struct {
	title string
	y     block.Axis
	of    func(record.Moment) float64
}

func moments() []moment {
	return []moment{
		{"CPU", block.Axis{Label: "CPU of the UPF, cores", Unit: block.Cores, Least: 1}, func(m record.Moment) float64 { return m.DUTCores }},
		{"memory", block.Axis{Label: "memory of the UPF, MiB", Unit: "MiB"},
			func(m record.Moment) float64 { return float64(m.MemoryBytes) / mebi }},
		{"received", block.Axis{Label: "received", Unit: block.PPS}, func(m record.Moment) float64 { return m.RxPPS }},
		{"context switches", block.Axis{Label: "context switches, 1/s", Unit: "1/s"}, func(m record.Moment) float64 { return m.SwitchesPerS }},
		{"power", block.Axis{Label: "power of the processors, W", Unit: "W"}, func(m record.Moment) float64 { return m.Watts }},
	}
}

// saysTimeline compares the CPU in the three parts.
func saysTimeline(t record.Timeline) string {
	cores := func(from, to float64) string {
		sum, n := 0.0, 0.0
		for _, m := range t.Points {
			if m.T > from && m.T <= to {
				sum, n = sum+m.DUTCores, n+1
			}
		}
		if n == 0 {
			return units.None
		}
		return units.Cores(sum / n)
	}
	return fmt.Sprintf("The UPF takes %s cores before the traffic, %s during it and %s after it.",
		cores(math.Inf(-1), 0), cores(0, t.DurationS), cores(t.DurationS, math.Inf(1)))
}
