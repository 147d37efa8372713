package block

import (
	"reflect"
	"testing"
)

func TestSpans(t *testing.T) {
	table := Table{Columns: []Column{Merged("a"), Merged("b"), Number("c", "")}}
	for _, cells := range [][]string{{"x", "1", "7"}, {"x", "1", "7"}, {"x", "2", "7"}, {"y", "2", "7"}} {
		table.Rows = append(table.Rows, Row{Cells: Cells(cells...)})
	}
	want := [][]int{{3, 2, 1}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1}}
	if got := table.Spans(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTableForAFormat(t *testing.T) {
	table := Table{Columns: []Column{Key("a"), Number("b", "").In(Pages), Number("c", "").In(Text)},
		Rows: []Row{{Cells: Cells("x", "1", "2")}, {Cells: Cells("y", "3", "4"), Only: HTML}}}
	got := table.For(Text)
	if len(got.Columns) != 2 || got.Columns[1].Head != "c" || len(got.Rows) != 1 || got.Rows[0].Cells[1].Text != "2" {
		t.Errorf("%+v", got)
	}
}

func TestVisible(t *testing.T) {
	blocks := []Block{Note{Text: "a"}, Note{Text: "b", Only: HTML}, Section{Blocks: []Block{Note{Only: HTML}}}, Section{}}
	if got := Visible(blocks, Markdown); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	if got := Visible(blocks, HTML); len(got) != 3 {
		t.Errorf("%+v", got)
	}
}

// TestWithoutBlankColumns: a column of numbers in which no row has a value is left out, with its cells.
func TestWithoutBlankColumns(t *testing.T) {
	table := Table{Columns: []Column{Words("UPF"), Number("Noise", ""), Number("Now", "")},
		Rows: []Row{{Cells: Cells("a", "n/a", "1")}, {Cells: Cells("b", "–", "n/a")}}}
	got := table.WithoutBlankColumns()
	if len(got.Columns) != 2 || got.Columns[1].Head != "Now" || got.Rows[0].Cells[1].Text != "1" || len(got.Rows[1].Cells) != 2 {
		t.Errorf("%+v", got)
	}
	if len(table.Columns) != 3 || len(table.Rows[0].Cells) != 3 {
		t.Errorf("the table itself changed: %+v", table)
	}
}
