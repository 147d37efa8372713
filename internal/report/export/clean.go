package export

import (
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// A result may be a stranger's, and what is exported is shown in terminals and opened in
// spreadsheets.

// label is a text of a result as the value of a label: on one line, without what controls a
// terminal.
func label(text string) string { return block.Printable(text) }

// cell is a text of a result as a cell of a table. A spreadsheet would take one that begins with one
// of =+-@ for a formula, which can start programs; an apostrophe says that it is text. Numbers are
// none of this: they are written by number.
func cell(text string) string {
	text = label(text)
	if strings.IndexAny(text, "=+-@") == 0 {
		return "'" + text
	}
	return text
}
