package sweep

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// metric is a figure of trials that is drawn over load, all UPFs in one chart.
type metric struct {
	id, title string
	y         block.Axis
	of        view.Quantity
	// model is what a model says of it at a load; nil: nothing.
	model func(load float64, p record.Predicted) float64
	// says is what one sees of a UPF.
	says func(view.Sweep, []point) string
	// rules are lines across.
	rules []block.Rule
}

// figure draws the metric, a panel for each direction.
func (m metric) figure(v *view.Run) block.Section {
	f := block.Figure{ID: m.id, Title: m.title, Shape: block.XY, Only: block.HTML,
		Caption: "Medians; a whisker is the range over the repeats, or of six and more the 95 % interval."}
	if m.model != nil && slices.ContainsFunc(v.Sweeps(), func(s view.Sweep) bool { return s.Chosen() != nil }) {
		f.Caption += " A line without marks is the chosen queueing model with its 95 % interval; the safe load is shaded."
	}
	if slices.ContainsFunc(v.Sweeps(), func(s view.Sweep) bool {
		return !s.UPF.Reference && slices.ContainsFunc(s.Points, view.SweepPoint.Hosts)
	}) {
		f.Caption += " Hollow marks were limited by the machine: they are in no model, and in no safe load."
	}
	one := block.View{}
	var says []string
	for _, direction := range v.Directions {
		p := block.Panel{Title: string(direction), X: loadAxis(), Y: m.y, Rules: m.rules}
		for _, s := range v.Sweeps() {
			if s.Direction == direction {
				says = append(says, m.add(&p, s))
			}
		}
		if len(p.Series) > 0 {
			one.Panels = append(one.Panels, p)
		}
	}
	one.Caption = sentences(says)
	f.Views = []block.View{one}
	return figure(f)
}

func loadAxis() block.Axis { return block.Axis{Label: "offered load", Unit: block.PPS} }

// add draws a sweep into a panel and says what one sees.
func (m metric) add(p *block.Panel, s view.Sweep) string {
	points := known(s, m.of)
	if len(points) == 0 {
		return ""
	}
	line := "thin"
	if chosen := s.Chosen(); m.model != nil && chosen != nil && !s.UPF.Reference {
		p.Series = append(p.Series, curve(chosen, s.UPF.Label+", "+chosen.Name, s.UPF.Color(), "solid", m.model))
		p.Areas, line = safeAreas(s), ""
	}
	p.Series = append(p.Series, measured(points, s.UPF.Label, s.UPF, line))
	if s.UPF.Reference || m.says == nil {
		return ""
	}
	return subject(s) + m.says(s, points)
}

// measured are the marks of a sweep, with whiskers.
func measured(points []point, name string, d *view.UPF, line string) block.Series {
	s := block.Series{Name: name, Color: d.Color(), Mark: d.Mark(), Line: line}
	for _, p := range points {
		at := block.Point{X: digits(p.pps), Y: digits(p.Value)}
		if p.hosts && !d.Reference {
			at.Style = "hollow"
		}
		s.Data = append(s.Data, at)
		if !math.IsNaN(p.Low) && p.High > p.Low {
			s.Whiskers = append(s.Whiskers, block.Interval{X: digits(p.pps), Low: digits(p.Low), High: digits(p.High)})
		}
	}
	return s
}

// curve is the line of a model with its band.
func curve(m *record.Model, name, color, line string, of func(load float64, p record.Predicted) float64) block.Series {
	s := block.Series{Name: name, Color: color, Line: line}
	for _, c := range m.Curve {
		s.Data = append(s.Data, block.Point{X: digits(c.LoadPPS), Y: digits(of(c.LoadPPS, c.Predicted))})
		if c.Low == nil || c.High == nil {
			continue
		}
		low, high := of(c.LoadPPS, *c.Low), of(c.LoadPPS, *c.High)
		s.Band = append(s.Band, block.Interval{X: digits(c.LoadPPS), Low: digits(min(low, high)), High: digits(max(low, high))})
	}
	return s
}

// digits keeps five digits: more cannot be seen.
func digits(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow(10, 4-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
