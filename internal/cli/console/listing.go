package console

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/text/wrap"
)

// Listing is what a list command prints: a table, or with --json its entries.
type Listing struct {
	Head    []string // of the columns; nil: no line above
	Rows    [][]string
	Entries any // an array, for --json
}

// JSONFlag adds --json to a command that lists.
func JSONFlag(c *cobra.Command) *bool { return c.Flags().Bool("json", false, "print JSON") }

// ListCommand is a command that lists.
func ListCommand(use, short string, list func(c *cobra.Command, asJSON bool) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs}
	asJSON := JSONFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error { return list(c, *asJSON) }
	return c
}

// Print writes the table as wide as the terminal, or the entries.
func (l Listing) Print(w io.Writer, asJSON bool) error {
	if asJSON {
		return JSON(w, l.Entries)
	}
	var b strings.Builder
	l.Table(&b, Terminal(w))
	_, err := io.WriteString(w, b.String())
	return err
}

// Below writes the table under another, as narrow as prose is.
func (l Listing) Below(w io.Writer) error {
	b := new(strings.Builder)
	b.WriteString("\n")
	l.Table(b, Columns(w))
	_, err := io.WriteString(w, b.String())
	return err
}

// JSON writes a value for programs, indented, with an end of line.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// room is the least that the last column needs next to the others, in characters.
const room = 24

// Table writes the columns. On a terminal (width is not 0) the last one is broken into lines; where it
// has no room, each row is a paragraph.
func (l Listing) Table(b *strings.Builder, width int) {
	widths := l.widths()
	last, lead := len(widths)-1, 0
	for _, w := range widths[:last] {
		lead += w + 2
	}
	lines := l.Rows
	if l.Head != nil {
		lines = append([][]string{l.Head}, l.Rows...)
	}
	for i, row := range lines {
		switch {
		case width == 0:
			b.WriteString(strings.TrimRight(l.columns(row, widths)+row[last], " ") + "\n")
		case lead+room <= width:
			first := l.columns(row, widths)
			for _, line := range wrap.Lines(row[last], width-lead) {
				b.WriteString(strings.TrimRight(first+line, " ") + "\n")
				first = strings.Repeat(" ", lead)
			}
		case i > 0 || l.Head == nil:
			l.paragraph(b, row, width)
		}
	}
}

// columns are all of a row but the last, padded.
func (l Listing) columns(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row[:len(row)-1] {
		b.WriteString(cell + strings.Repeat(" ", widths[i]+2-utf8.RuneCountInString(cell)))
	}
	return b.String()
}

func (l Listing) paragraph(b *strings.Builder, row []string, width int) {
	b.WriteString(row[0] + "\n")
	for i, cell := range row[1:] {
		if l.Head != nil {
			cell = strings.ToLower(l.Head[i+1]) + " " + cell
		}
		for _, line := range wrap.Lines(cell, width-2) {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

func (l Listing) widths() []int {
	rows := l.Rows
	if l.Head != nil {
		rows = append([][]string{l.Head}, rows...)
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// Dash is "-" for an empty text.
func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
