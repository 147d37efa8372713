package trends

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/units"
)

// figure is one metric of the group's series over the runs: a view for each trial, a line for each
// UPF.
func (g *group) figure(h History, m compare.Metric) block.Figure {
	f := block.Figure{ID: figureID(g, m), Title: sentence(comparison.MetricTitle(m)) + " over the runs",
		Shape: block.XY, ViewOf: "Which trial", Only: block.HTML,
		Caption: "A point for each run; the line is the level, and a step in it a change."}
	if h.ByVersion {
		f.Caption = "A point for each run, at its version; the line joins the medians of the versions."
	}
	if m.Contains() {
		f.Caption += " By wire: less the figure of wire, without a UPF, in the same run."
	} else {
		f.Caption += " By wire: divided by the figure of wire, without a UPF, in the same run."
	}
	if h.Pin != nil {
		link := h.Pin(m)
		f.Action = &link
	}
	of := map[string][]*history.Series{} // those of each view
	for _, s := range g.series {
		if from, to := h.shown(s); s.Metric == m && len(s.Points) > 1 && from < to {
			name := viewOf(s)
			h.add(&f, name, s, from, to)
			of[name] = append(of[name], s)
		}
	}
	for i := range f.Views {
		g.rule(h, &f.Views[i], of[f.Views[i].Name])
	}
	return f
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

// viewOf is the name of the view that a series is in: that of its trial.
func viewOf(s *history.Series) string {
	name := compare.Where(s.Kind, s.Direction, s.Load)
	if s.ByWire {
		name += ", by wire"
	}
	return block.Printable(name)
}

// add puts the points [from, to) of a series into a view.
func (h History) add(f *block.Figure, name string, s *history.Series, from, to int) {
	at := slices.IndexFunc(f.Views, func(v block.View) bool { return v.Name == name })
	if at < 0 {
		at = len(f.Views)
		f.Views = append(f.Views, block.View{Name: name, Panels: []block.Panel{h.panel(s)}})
	}
	p := &f.Views[at].Panels[0]
	color := fmt.Sprintf("c%d", len(p.Series)/2%10)
	if s.Reference {
		color = "ref"
	}
	places := h.places(s, p, from, to)
	along := levels(s, color, from, to, places)
	if h.ByVersion {
		along = medians(s, color, from, to, places)
	}
	p.Series = append(p.Series, h.points(s, color, from, to, places), along)
}

// shown are the points [from, to) of a series that a page shows: the newest ones of the time that is
// chosen.
func (h History) shown(s *history.Series) (from, to int) {
	to = len(s.Points)
	for from < to && !h.Only.From.IsZero() && s.Points[from].Run.Started.Before(h.Only.From) {
		from++
	}
	for to > from && !h.Only.To.IsZero() && !s.Points[to-1].Run.Started.Before(h.Only.To) {
		to--
	}
	if h.Newest > 0 {
		from = max(from, to-h.Newest)
	}
	return from, to
}

// places are where the points [from, to) lie along x: when the runs began, or the place of the
// version among those of the panel.
func (h History) places(s *history.Series, p *block.Panel, from, to int) []float64 {
	xs := make([]float64, len(s.Points))
	for i := from; i < to; i++ {
		if !h.ByVersion {
			xs[i] = float64(s.Points[i].Run.Started.Unix())
			continue
		}
		version := units.OrNone(block.Printable(s.Points[i].Version))
		at := slices.Index(p.X.Categories, version)
		if at < 0 {
			at = len(p.X.Categories)
			p.X.Categories = append(p.X.Categories, version)
		}
		xs[i] = float64(at)
	}
	return xs
}

func (h History) panel(s *history.Series) block.Panel {
	y := block.Axis{Label: comparison.MetricTitle(s.Metric), Unit: unit(s.Metric)}
	if s.ByWire {
		y = block.Axis{Label: comparison.MetricTitle(s.Metric) + " / wire's"}
		if s.Metric.Contains() {
			y = block.Axis{Label: comparison.MetricTitle(s.Metric) + " - wire's", Unit: unit(s.Metric)}
		}
	}
	if h.ByVersion {
		return block.Panel{X: block.Axis{Label: "version"}, Y: y, Tip: []block.Field{{Name: "started"}, {Name: "folder"}}}
	}
	return block.Panel{X: block.Axis{Label: "start of the run, UTC", Scale: block.Dates}, Y: y,
		Tip: []block.Field{{Name: "version"}, {Name: "folder"}}}
}

func unit(m compare.Metric) block.Unit {
	switch m {
	case compare.FrameLoss:
		return block.Ratio
	case compare.Burst, compare.Instructions, compare.ProgramInstructions, compare.RequestInstructions:
		return block.Pure
	case compare.P50, compare.P99, compare.CPU, compare.Program:
		return block.Nanos
	}
	return block.PPS
}

// drawn is the value of a point as charts have it.
func drawn(s *history.Series, i int) float64 {
	if s.ByWire {
		return s.Points[i].ByWire
	}
	return s.Points[i].Value
}

func (h History) points(s *history.Series, color string, from, to int, places []float64) block.Series {
	out := block.Series{Name: label(s), Color: color, Mark: "circle"}
	for i := from; i < to; i++ {
		p := s.Points[i]
		q := block.Point{X: places[i], Y: drawn(s, i), More: []any{block.Printable(p.Version), block.Printable(p.Run.Path)}}
		if h.ByVersion {
			q.More[0] = units.Instant(p.Run.Started)
		}
		if p.Sign != "" {
			q.Style = "hollow"
		}
		if h.Link != nil {
			q.Link = h.Link(p.Run)
		}
		out.Data = append(out.Data, q)
	}
	return out
}

// levels are the level lines, with gaps between them.
func levels(s *history.Series, color string, from, to int, places []float64) block.Series {
	out := block.Series{Name: label(s) + ", level", Color: color, Line: "solid"}
	for _, l := range s.Levels {
		first, last := max(l.From, from), min(l.To, to)-1
		if first > last {
			continue
		}
		if len(out.Data) > 0 {
			out.Data = append(out.Data, block.Point{X: places[first], Y: math.NaN()})
		}
		out.Data = append(out.Data, block.Point{X: places[first], Y: l.Value}, block.Point{X: places[last], Y: l.Value})
	}
	return out
}

// medians are those of each version, joined.
func medians(s *history.Series, color string, from, to int, places []float64) block.Series {
	out := block.Series{Name: label(s) + ", median", Color: color, Line: "solid"}
	of := map[float64][]float64{}
	for i := from; i < to; i++ {
		of[places[i]] = append(of[places[i]], drawn(s, i))
	}
	for _, x := range slices.Sorted(maps.Keys(of)) {
		out.Data = append(out.Data, block.Point{X: x, Y: stats.Median(of[x])})
	}
	return out
}
