package trends

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/units"
)

// figures are the group's series over the runs: one figure for each metric, a view for
// each trial, a line for each UPF; of the newest points only, where a number is given.
func (g *group) figures(newest int) (list []block.Figure) {
	for _, m := range compare.Metrics() {
		f := block.Figure{ID: figureID(g, m), Title: sentence(comparison.MetricTitle(m)) + " over the runs",
			Shape: block.XY, ViewOf: "Which trial", Only: block.HTML,
			Caption: "A point for each run; the line is the level, and a step in it a change. By wire: divided by " +
				"what the bare bench did in the same run."}
		for _, s := range g.series {
			if s.Metric == m && len(s.Points) > 1 {
				add(&f, s, newest)
			}
		}
		if !f.Empty() {
			list = append(list, f)
		}
	}
	return list
}

func figureID(g *group, m compare.Metric) string {
	h := uint32(2166136261)
	for _, c := range []byte(g.scenario + "\x00" + g.machine) {
		h = (h ^ uint32(c)) * 16777619
	}
	return fmt.Sprintf("trend-%x-%s", h, m)
}

func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// add puts a series into the view of its trial.
func add(f *block.Figure, s *history.Series, newest int) {
	name := compare.Where(s.Kind, s.Direction, s.Load)
	if s.ByWire {
		name += ", by wire"
	}
	name = block.Printable(name)
	var view *block.View
	for i := range f.Views {
		if f.Views[i].Name == name {
			view = &f.Views[i]
		}
	}
	if view == nil {
		f.Views = append(f.Views, block.View{Name: name, Panels: []block.Panel{panel(s)}})
		view = &f.Views[len(f.Views)-1]
	}
	p := &view.Panels[0]
	color := fmt.Sprintf("c%d", len(p.Series)/2%10)
	if s.Reference {
		color = "ref"
	}
	from := 0
	if newest > 0 {
		from = max(0, len(s.Points)-newest)
	}
	p.Series = append(p.Series, points(s, color, from), levels(s, color, from))
}

func panel(s *history.Series) block.Panel {
	y := block.Axis{Label: comparison.MetricTitle(s.Metric), Unit: unit(s.Metric)}
	if s.ByWire {
		y = block.Axis{Label: comparison.MetricTitle(s.Metric) + " / wire's"}
		if s.Metric.Contains() {
			y = block.Axis{Label: comparison.MetricTitle(s.Metric) + " - wire's", Unit: unit(s.Metric)}
		}
	}
	return block.Panel{X: block.Axis{Label: "run", Least: 1}, Y: y, Tip: []block.Field{{Name: "started"}, {Name: "version"}, {Name: "folder"}}}
}

func unit(m compare.Metric) block.Unit {
	switch m {
	case compare.FrameLoss:
		return block.Ratio
	case compare.Burst:
		return block.Pure
	case compare.P50, compare.P99, compare.CPU, compare.Program:
		return block.Nanos
	}
	return block.PPS
}

func points(s *history.Series, color string, from int) block.Series {
	out := block.Series{Name: label(s), Color: color, Mark: "circle"}
	for i := from; i < len(s.Points); i++ {
		p := s.Points[i]
		v := p.Value
		if s.ByWire {
			v = p.ByWire
		}
		style := ""
		if p.Bounded {
			style = "hollow"
		}
		out.Data = append(out.Data, block.Point{X: float64(i + 1), Y: v, Style: style,
			More: []any{units.Instant(p.Run.Started), block.Printable(p.Version), block.Printable(p.Run.Path)}})
	}
	return out
}

// levels are the level lines, with gaps between them.
func levels(s *history.Series, color string, from int) block.Series {
	out := block.Series{Name: label(s) + ", level", Color: color, Line: "solid"}
	for _, l := range s.Levels {
		if l.To <= from {
			continue
		}
		if len(out.Data) > 0 {
			out.Data = append(out.Data, block.Point{X: float64(max(l.From, from)) + 0.5, Y: math.NaN(), More: []any{"", "", ""}})
		}
		for _, x := range []int{max(l.From, from), l.To - 1} {
			out.Data = append(out.Data, block.Point{X: float64(x + 1), Y: l.Value, More: []any{"", "", ""}})
		}
	}
	return out
}
