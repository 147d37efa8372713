package block

import (
	"slices"

	"github.com/upflab/upflab/internal/text/units"
)

// Table is rows under heads.
type Table struct {
	Title   string // above it, smaller than a section's
	Columns []Column
	Rows    []Row
	// Filtered is true where a page's form chooses among the rows.
	Filtered bool
	// Stacked is true where a narrow window shows each row as a card, its cells with their heads.
	Stacked bool
	Only    Format
}

// Column is one column of a table.
type Column struct {
	Head string
	Unit string // below or behind the head: "kpps"
	Left bool   // texts are set left, numbers right
	// Key is a column that names the row: where a table is wider than the format,
	// it is repeated next to the columns that come below.
	Key bool
	// Merge shows a value once for rows in a row that have the same.
	Merge bool
	// Wrap is for long texts.
	Wrap bool
	Only Format
}

// Row is one row; it has a cell for each column.
type Row struct {
	Cells []Cell
	Tone  Tone // Muted: for comparison only; Bad: not valid
	Only  Format
}

// Cell is a value as written.
type Cell struct {
	Text  string
	Short string // in place of Text and Note where there is little room
	Range string // over repeats: "2.40..2.52"; "" where they are written alike
	Note  string // what must be known of the value
	Tone  Tone
	Color string // of the series that it names: "c0"
	Spark *Spark // behind the text: the values that led to it
	// Link is an address of the same server behind the text, "/runs/...", for pages that
	// are served; it is left out elsewhere.
	Link string
}

// Spark is a line of a few values, the newest last, the size of a word.
type Spark struct {
	Values []float64
	Label  string // what it is, for those who do not see it
}

// Key is a left column that names its rows.
func Key(head string) Column { return Column{Head: head, Left: true, Key: true} }

// Merged is a Key that is shown once for equal rows.
func Merged(head string) Column { return Column{Head: head, Left: true, Key: true, Merge: true} }

// Words is a left column of short texts.
func Words(head string) Column { return Column{Head: head, Left: true} }

// Prose is a left column of long texts.
func Prose(head string) Column { return Column{Head: head, Left: true, Wrap: true} }

// Number is a column of numbers.
func Number(head, unit string) Column { return Column{Head: head, Unit: unit} }

// In limits a column to formats.
func (c Column) In(f Format) Column { c.Only = f; return c }

// T makes a cell of a text.
func T(text string) Cell { return Cell{Text: text} }

// Cells makes cells of texts.
func Cells(texts ...string) (cells []Cell) {
	for _, text := range texts {
		cells = append(cells, Cell{Text: text})
	}
	return cells
}

// Kind names the type.
func (Table) Kind() string { return "table" }

// In is where it shows up; a table without rows nowhere.
func (t Table) In() Format { return t.Only }

// For is the table with the columns and rows that a format has.
func (t Table) For(f Format) Table {
	out := Table{Title: t.Title, Filtered: t.Filtered, Stacked: t.Stacked}
	for _, c := range t.Columns {
		if c.Only.Has(f) {
			out.Columns = append(out.Columns, c)
		}
	}
	for _, r := range t.Rows {
		if !r.Only.Has(f) {
			continue
		}
		row := Row{Tone: r.Tone}
		for i, c := range t.Columns {
			if c.Only.Has(f) {
				row.Cells = append(row.Cells, r.Cells[i])
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// Spans gives for each row and column how many rows its cell covers: 1 as a
// rule, more at the first of equal cells of a Merge column, 0 at those below it.
func (t Table) Spans() [][]int {
	spans := make([][]int, len(t.Rows))
	for i := range t.Rows {
		spans[i] = make([]int, len(t.Columns))
		for j := range t.Columns {
			spans[i][j] = 1
			if i > 0 && t.same(i, j) {
				spans[i][j] = 0
				t.extend(spans, i, j)
			}
		}
	}
	return spans
}

// same reports whether a cell and all merged ones on its left equal those above.
func (t Table) same(i, j int) bool {
	if !t.Columns[j].Merge {
		return false
	}
	for k := range j + 1 {
		if t.Columns[k].Merge && t.Rows[i].Cells[k] != t.Rows[i-1].Cells[k] {
			return false
		}
	}
	return true
}

// extend makes the cell above that is shown reach over one row more.
func (t Table) extend(spans [][]int, i, j int) {
	for at := i - 1; at >= 0; at-- {
		if spans[at][j] > 0 {
			spans[at][j]++
			return
		}
	}
}

// WithoutBlankColumns leaves out columns of numbers in which no row has a value.
func (t Table) WithoutBlankColumns() Table {
	out := t
	out.Columns, out.Rows = nil, slices.Clone(t.Rows)
	for i := range out.Rows {
		out.Rows[i].Cells = nil
	}
	for i, c := range t.Columns {
		if !c.Left && !slices.ContainsFunc(t.Rows, func(r Row) bool { return units.Known(r.Cells[i].Text) }) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, r := range t.Rows {
			out.Rows[j].Cells = append(out.Rows[j].Cells, r.Cells[i])
		}
	}
	return out
}
