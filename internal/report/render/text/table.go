package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/report/block"
)

// grid is a table laid out in characters.
type grid struct {
	block.Table
	cells  [][]string // as shown, by row
	widths []int      // of columns
}

// table writes a table. One that is wider than a line goes on below, its keys
// repeated; one with long texts is a list.
func (t *printer) table(b block.Table) {
	g := layOut(b.For(block.Text))
	if g.Title != "" {
		t.say("  ", g.Title)
	}
	bands := g.bands(t.width)
	if bands == nil {
		t.list(g)
		return
	}
	for i, band := range bands {
		if i > 0 {
			t.line("")
		}
		t.heads(g, band)
		for row := range g.Rows {
			t.line(g.line(band, func(c int) string { return g.cells[row][c] }))
			if i == len(bands)-1 {
				t.say("      ", g.below(row))
			}
		}
	}
}

func layOut(b block.Table) grid {
	g := grid{Table: b, widths: make([]int, len(b.Columns))}
	spans := b.Spans()
	for i, r := range b.Rows {
		line := make([]string, len(r.Cells))
		for j, c := range r.Cells {
			if text := short(c); spans[i][j] > 0 {
				line[j] = text
			}
			g.widths[j] = max(g.widths[j], utf8.RuneCountInString(line[j]))
		}
		g.cells = append(g.cells, line)
	}
	for j, c := range b.Columns {
		g.widths[j] = max(g.widths[j], utf8.RuneCountInString(c.Head), utf8.RuneCountInString(c.Unit))
	}
	return g
}

// short is a cell as a terminal shows it.
func short(c block.Cell) string {
	if c.Short != "" {
		return block.Printable(c.Short)
	}
	return block.Printable(c.Text)
}

// bands parts the columns into lines of at most so many characters, each with all keys; nil where
// that is not possible.
func (g grid) bands(most int) (bands [][]int) {
	var keys, band []int
	width := 1
	for j, c := range g.Columns {
		if c.Wrap {
			return nil
		}
		if c.Key {
			keys, width = append(keys, j), width+1+g.widths[j]
		}
	}
	band, used := slices.Clone(keys), width
	for j, c := range g.Columns {
		if c.Key {
			continue
		}
		if width+1+g.widths[j] > most {
			return nil
		}
		if used+1+g.widths[j] > most {
			bands, band, used = append(bands, band), slices.Clone(keys), width
		}
		band, used = append(band, j), used+1+g.widths[j]
	}
	return append(bands, band)
}

func (t *printer) heads(g grid, band []int) {
	t.line(g.line(band, func(c int) string { return g.Columns[c].Head }))
	if units := g.line(band, func(c int) string { return g.Columns[c].Unit }); strings.TrimSpace(units) != "" {
		t.line(units)
	}
}

func (g grid) line(band []int, of func(column int) string) string {
	cells := make([]string, len(band))
	for i, c := range band {
		cells[i] = pad(of(c), g.widths[c], !g.Columns[c].Left)
	}
	return "  " + strings.Join(cells, " ")
}

// below is what a line has no room for: ranges over repeats, and notes.
func (g grid) below(row int) string {
	var words []string
	for j, c := range g.Rows[row].Cells {
		if c.Range != "" {
			words = append(words, strings.TrimSpace(g.Columns[j].Head+" "+g.Columns[j].Unit)+" "+c.Range)
		}
		if c.Note != "" && c.Short == "" {
			words = append(words, c.Note)
		}
	}
	return strings.Join(words, "; ")
}

// list writes each row as a paragraph.
func (t *printer) list(g grid) {
	for _, r := range g.Rows {
		var keys, words []string
		for j, c := range r.Cells {
			head, text := g.Columns[j].Head, short(c)
			switch {
			case text == "":
			case g.Columns[j].Key:
				keys = append(keys, text)
			default:
				words = append(words, strings.TrimSpace(head+" "+text+" "+g.Columns[j].Unit))
			}
		}
		t.say("- ", strings.Join(keys, ", ")+": "+strings.Join(words, "; "))
	}
}
