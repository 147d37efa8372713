// Package trials has the sections of a report that are made from trials: tables of
// loads and latencies, charts of them, what each trial's verdict rests on. Each file
// is a section.
package trials

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// column is one of a table of rows.
type column struct {
	block.Column
	Of func(*view.Row) block.Cell
}

// tables is a table for each direction.
func tables(v *view.Run, kind record.Kind, columns []column) (blocks []block.Block) {
	for _, direction := range v.Directions {
		if rows := v.AllRows(kind, direction); len(rows) > 0 {
			blocks = append(blocks, table(string(direction), rows, columns))
		}
	}
	return blocks
}

func table(title string, rows []*view.Row, columns []column) block.Table {
	t := block.Table{Title: title}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, r := range rows {
		row := block.Row{Tone: r.Tone()}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.Of(r))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func loadColumn() column { return column{block.Merged("Load"), (*view.Row).LoadCell} }
func upfColumn() column {
	return column{block.Key("UPF"), func(r *view.Row) block.Cell { return r.UPF.NameCell() }}
}

func cell(head, unit string, of view.Quantity, write units.Writer) column {
	return column{block.Number(head, unit), func(r *view.Row) block.Cell { return r.Cell(of, write) }}
}

func cpuOf(head, unit string, of view.Quantity, write units.Writer) column {
	return column{block.Number(head, unit), func(r *view.Row) block.Cell { return r.CPU(of, write) }}
}

func received(unit string, of view.Quantity, write units.Writer) column {
	return column{block.Number("Rx", unit), func(r *view.Row) block.Cell { return r.Received(of, write) }}
}

func micros(head string, of func(*record.Latency) float64) column {
	return column{block.Number(head, "µs"), func(r *view.Row) block.Cell { return r.Latency(of) }}
}

// wireColumn is the reference's latency; none where there is no reference.
func wireColumn(v *view.Run) []column {
	if !v.HasReference {
		return nil
	}
	return []column{{block.Number("wire p50", "µs"), func(r *view.Row) block.Cell { return r.Reference }}}
}

func limitColumn(v *view.Run) column {
	return column{block.Words("Limited by"), func(r *view.Row) block.Cell { return r.Verdict(v.Repeated) }}
}

// only limits columns to formats.
func only(f block.Format, columns ...column) []column {
	for i := range columns {
		columns[i].Only = f
	}
	return columns
}

// repeatHint explains the figures of repeats.
func repeatHint(v *view.Run) string {
	if !v.Repeated {
		return ""
	}
	return " Figures are medians over the valid repeats (n), with their range where they differ."
}

func wireHint(v *view.Run) string {
	if !v.HasReference {
		return ""
	}
	return " wire p50: what the bench adds in the same placement, at the same load, or at the nearest, which is then named."
}
