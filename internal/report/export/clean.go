package export

import (
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// A result may be a stranger's, and what is exported is shown in terminals and opened in
// spreadsheets.

// NewLabel is a text of a result as a label: on one line, without what controls a terminal. All labels
// are made by it, and no format cleans them again.
func NewLabel(name, text string) Label {
	return Label{name, block.Printable(strings.ToValidUTF8(text, "?"))}
}

// cell is a text of a result as a cell of a table. A spreadsheet would take one that begins with one
// of =+-@ for a formula, which can start programs; an apostrophe says that it is text. Numbers are
// none of this: they are written by number.
func cell(l Label) string {
	text := l.Value
	if strings.IndexAny(text, "=+-@") == 0 {
		return "'" + text
	}
	return text
}
