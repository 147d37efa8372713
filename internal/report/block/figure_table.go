package block

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/units"
)

// tableRows is how many points of a series a figure's table has at most.
const tableRows = 12

// Tables are the figure for formats that do not draw: a table for each panel of the
// first view, with a row for each x.
func (f Figure) Tables() (tables []Table) {
	if len(f.Views) == 0 {
		return nil
	}
	for _, p := range f.Views[min(f.Start, len(f.Views)-1)].Panels {
		if len(p.Series) > 0 {
			tables = append(tables, p.table(f.Shape))
		}
	}
	return tables
}

func (p Panel) table(shape Shape) Table {
	if shape == Bars {
		return p.barTable()
	}
	t := Table{Title: p.Title, Columns: []Column{Key(p.X.Label)}}
	for _, s := range p.Series {
		t.Columns = append(t.Columns, Column{Head: s.Name, Unit: p.Y.Label})
	}
	for _, x := range p.xs() {
		row := Row{Cells: []Cell{T(p.X.Text(x))}}
		for _, s := range p.Series {
			row.Cells = append(row.Cells, T(p.Y.Text(s.at(x))))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (p Panel) barTable() Table {
	t := Table{Title: p.Title, Columns: []Column{Key(""), Number(p.X.Label, "")}}
	for _, s := range p.Series {
		if s.Bar != nil {
			t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: s.Name, Color: s.Color}, {Text: s.Bar.Text, Range: s.Bar.Range, Note: s.Bar.Note}}})
		}
	}
	return t
}

// xs are values of x at which some series has a point, evenly thinned.
func (p Panel) xs() []float64 {
	var all []float64
	for _, s := range p.Series {
		for _, q := range s.Data {
			all = append(all, q.X)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) <= tableRows {
		return all
	}
	var some []float64
	for i := range tableRows {
		some = append(some, all[i*(len(all)-1)/(tableRows-1)])
	}
	return some
}

// at is the value at x; NaN where the series has no point there.
func (s Series) at(x float64) float64 {
	for _, q := range s.Data {
		if q.X == x {
			return q.Y
		}
	}
	return math.NaN()
}

// Text writes a value of the axis.
func (a Axis) Text(v float64) string {
	if math.IsNaN(v) { // no number of a category either
		return a.Unit.Text(v)
	}
	if len(a.Categories) > 0 && int(v) >= 0 && int(v) < len(a.Categories) {
		return a.Categories[int(v)]
	}
	if a.Scale == Dates {
		return units.Instant(time.Unix(int64(v), 0))
	}
	if a.Scale == Rarity {
		return fmt.Sprintf("p%.9g", 100*v)
	}
	return a.Unit.Text(v)
}

// UpTo is in what unit values are written that reach so far, and its size.
func (u Unit) UpTo(most float64) (factor float64, name string) {
	switch {
	case u == PPS && most < 1e4:
		return 1, "packets/s"
	case u == PPS && most < 1e6:
		return 1e3, "kpps"
	case u == PPS:
		return 1e6, "Mpps"
	case u == BPS:
		return 1e9, "Gbit/s"
	case u == Nanos && most < 1e8:
		return 1e3, "µs"
	case u == Nanos && most < 1e9:
		return 1e6, "ms"
	case u == Nanos:
		return 1e9, "s"
	case u == Ratio:
		return 0.01, "%"
	}
	return 1, string(u)
}

// TextUpTo writes a value in the unit of an axis that reaches so far, in which it compares with the
// others of the axis.
func (a Axis) TextUpTo(v, most float64) string {
	if math.IsNaN(v) || a.Unit != PPS && a.Unit != Nanos {
		return a.Text(v)
	}
	factor, name := a.Unit.UpTo(most)
	if v/factor >= 1e4 {
		return fmt.Sprintf("%.0f %s", v/factor, name)
	}
	return fmt.Sprintf("%.4g %s", v/factor, name)
}

// Text writes a value with its unit.
func (u Unit) Text(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case u == Nanos && v >= 1e9:
		return fmt.Sprintf("%.4g s", v/1e9)
	case u == Nanos && v >= 1e6:
		return fmt.Sprintf("%.4g ms", v/1e6)
	case u == Nanos:
		return fmt.Sprintf("%.4g µs", v/1e3)
	case u == Ratio:
		return fmt.Sprintf("%.3g %%", v*100)
	case u == PPS && v >= 1e6:
		return fmt.Sprintf("%.4g Mpps", v/1e6)
	case u == PPS:
		return fmt.Sprintf("%.4g kpps", v/1e3)
	case u == BPS:
		return fmt.Sprintf("%.4g Gbit/s", v/1e9)
	case u == Pure && v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g %s", v, u))
}
