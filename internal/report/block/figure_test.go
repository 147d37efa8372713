package block

import (
	"encoding/json"
	"math"
	"testing"
)

func TestPointsInJSON(t *testing.T) {
	for want, p := range map[string]Point{
		`[1,2]`:                      {X: 1, Y: 2},
		`[1,null]`:                   {X: 1, Y: math.NaN()},
		`[1,2,"hollow"]`:             {X: 1, Y: 2, Style: "hollow"},
		`[1,2,"","dut",null,3]`:      {X: 1, Y: 2, More: []any{"dut", math.Inf(1), 3.0}},
		`[0.5,2,"cross",null,"max"]`: {X: 0.5, Y: 2, Style: "cross", More: []any{nil, "max"}},
	} {
		got, err := json.Marshal(p)
		if err != nil || string(got) != want {
			t.Errorf("%+v is %s, %v; want %s", p, got, err, want)
		}
		var back Point
		if err := json.Unmarshal(got, &back); err != nil || back.X != p.X || back.Style != p.Style || len(back.More) != len(p.More) {
			t.Errorf("%s reads as %+v, %v", got, back, err)
		}
	}
}

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
