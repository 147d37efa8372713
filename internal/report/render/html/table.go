package html

import "github.com/upflab/upflab/internal/report/block"

// layout is a table with the rows that each cell reaches over.
type layout struct {
	block.Table
	Caption string // for those who hear the page; Title is what all see
	Lines   []line
}

type line struct {
	Tone  block.Tone
	First bool // of a group of merged rows
	Cells []cell
}

type cell struct {
	block.Cell
	Column block.Column
	Label  string // the head of the column, where cells are shown under each other; "": in columns alone
	Rows   int
}

// layOut leaves out cells that a cell above reaches over.
func layOut(t block.Table, caption string) layout {
	l := layout{Table: t.For(block.HTML), Caption: caption}
	spans := l.Spans()
	for i, r := range l.Rows {
		one := line{Tone: r.Tone, First: i > 0}
		for j, c := range r.Cells {
			if spans[i][j] == 0 {
				one.First = false
				continue
			}
			shown := cell{Cell: c, Column: l.Columns[j], Rows: spans[i][j]}
			if l.Stacked {
				shown.Label = l.Columns[j].Head
			}
			one.Cells = append(one.Cells, shown)
		}
		one.First = one.First && len(l.Columns) > 0 && l.Columns[0].Merge
		l.Lines = append(l.Lines, one)
	}
	return l
}
