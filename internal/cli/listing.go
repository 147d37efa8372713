package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/text/wrap"
)

// listing is what a list command prints: a table, or with --json its entries.
type listing struct {
	head    []string // of the columns; nil: no line above
	rows    [][]string
	entries any // an array, for --json
}

// jsonFlag adds --json to a command that lists.
func jsonFlag(c *cobra.Command) *bool { return c.Flags().Bool("json", false, "print JSON") }

// listCommand is a command that lists.
func listCommand(use, short string, list func(c *cobra.Command, asJSON bool) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error { return list(c, *asJSON) }
	return c
}

func (l listing) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, l.entries)
	}
	var b strings.Builder
	l.table(&b, terminal(w))
	_, err := io.WriteString(w, b.String())
	return err
}

// below writes the table under another, as narrow as prose is.
func (l listing) below(w io.Writer) error {
	b := new(strings.Builder)
	b.WriteString("\n")
	l.table(b, columns(w))
	_, err := io.WriteString(w, b.String())
	return err
}

// printJSON writes a value for programs, indented, with an end of line.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// room is the least that the last column needs next to the others, in characters.
const room = 24

// table writes the columns. On a terminal (width is not 0) the last one is broken into lines; where it
// has no room, each row is a paragraph.
func (l listing) table(b *strings.Builder, width int) {
	widths := l.widths()
	last, lead := len(widths)-1, 0
	for _, w := range widths[:last] {
		lead += w + 2
	}
	lines := l.rows
	if l.head != nil {
		lines = append([][]string{l.head}, l.rows...)
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
		case i > 0 || l.head == nil:
			l.paragraph(b, row, width)
		}
	}
}

// columns are all of a row but the last, padded.
func (l listing) columns(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row[:len(row)-1] {
		b.WriteString(cell + strings.Repeat(" ", widths[i]+2-utf8.RuneCountInString(cell)))
	}
	return b.String()
}

func (l listing) paragraph(b *strings.Builder, row []string, width int) {
	b.WriteString(row[0] + "\n")
	for i, cell := range row[1:] {
		if l.head != nil {
			cell = strings.ToLower(l.head[i+1]) + " " + cell
		}
		for _, line := range wrap.Lines(cell, width-2) {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

func (l listing) widths() []int {
	rows := l.rows
	if l.head != nil {
		rows = append([][]string{l.head}, rows...)
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
