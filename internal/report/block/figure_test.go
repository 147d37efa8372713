package block

import (
	"math"
	"testing"
)

// TestFigureAsTables: a figure shows up where nothing can be drawn.
func TestFigureAsTables(t *testing.T) {
	curve := Series{Name: "model"}
	for i := range 100 {
		curve.Data = append(curve.Data, Point{X: float64(i), Y: float64(1000 * i)})
	}
	f := Figure{Shape: XY, Views: []View{{Panels: []Panel{{Title: "uplink", X: Axis{Label: "load"}, Y: Axis{Label: "delay", Unit: Nanos},
		Series: []Series{curve, {Name: "measured", Data: []Point{{X: 99, Y: 5000}}}}}}}}}
	tables := f.Tables()
	if len(tables) != 1 || len(tables[0].Columns) != 3 || len(tables[0].Rows) != tableRows {
		t.Fatalf("%+v", tables)
	}
	last := tables[0].Rows[tableRows-1].Cells
	if last[0].Text != "99" || last[1].Text != "99 µs" || last[2].Text != "5 µs" || tables[0].Rows[0].Cells[2].Text != "–" {
		t.Errorf("%+v", last)
	}
}

// TestNotANumberOnAnAxis: what is not known is no category, and no value of any other kind of axis.
func TestNotANumberOnAnAxis(t *testing.T) {
	for name, a := range map[string]Axis{"categories": {Categories: []string{"first", "second"}}, "rarity": {Scale: Rarity},
		"time": {Unit: Nanos}} {
		if got := a.Text(math.NaN()); got != "–" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestPressed: a curve that one outlier presses to the axis is found, and no other.
func TestPressed(t *testing.T) {
	for story, c := range map[string]struct {
		scale  Scale
		ys     []float64
		wanted bool
	}{
		"an outlier":            {Linear, []float64{20e3, 21e3, 19e3, 22e3, 2.4e9}, true},
		"alike":                 {Linear, []float64{20e3, 21e3, 19e3, 22e3}, false},
		"rising":                {Linear, []float64{1, 5, 10, 50, 80, 100}, false},
		"logarithmic already":   {Log, []float64{20e3, 21e3, 19e3, 22e3, 2.4e9}, false},
		"nothing but one value": {Linear, []float64{0, 0, 0, 0, 0.1}, false},
	} {
		s := Series{}
		for i, y := range c.ys {
			s.Data = append(s.Data, Point{X: float64(i), Y: y})
		}
		f := Figure{Shape: XY, Views: []View{{Panels: []Panel{{Y: Axis{Scale: c.scale}, Series: []Series{s}}}}}}
		if got := f.Pressed(); got != c.wanted {
			t.Errorf("%s: %v", story, got)
		}
	}
}
