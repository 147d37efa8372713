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
