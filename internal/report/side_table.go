package report

import (
	"fmt"
	"strings"
)

// sideLine is one line of the table: a metric in one panel.
type sideLine struct {
	Name  string
	Short string     // the same in 32 characters
	Cells []sideCell // by UPF
}

type sideCell struct{ Text, Span, Note string }

// sideLines lays the metrics out, a column for each UPF.
func (v view) sideLines() (lines []sideLine) {
	for _, m := range v.sideBySide() {
		for _, panel := range m.Panels {
			line := sideLine{Name: m.Name + ", " + m.Unit, Short: m.Short, Cells: make([]sideCell, len(v.DUTs))}
			if panel != "" {
				line.Name, line.Short = m.Name+", "+panel+", "+m.Unit, m.Short+" "+panel
			}
			for i := range line.Cells {
				line.Cells[i].Text = notMeasured
			}
			for _, b := range m.Bars {
				if b.Panel == panel {
					line.Cells[b.DUT] = newSideCell(b)
				}
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// newSideCell writes a bar.
func newSideCell(b sideBar) sideCell {
	c := sideCell{Text: b.Text, Span: b.Span, Note: b.Note}
	if len(b.Far) > 0 {
		c.Note = strings.Join([]string{c.Note, "outliers: " + strings.Join(b.Far, ", ")}, "; ")
	}
	return c
}

// spanWords says what the spans are; "" where there are none.
func (v view) spanWords() string {
	kinds := map[string]bool{}
	for _, m := range v.sideBySide() {
		for _, b := range m.Bars {
			if b.Of != "" {
				kinds[b.Of[:strings.Index(b.Of, " of ")]] = true
			}
		}
	}
	switch {
	case kinds["95 % interval"] && kinds["range"]:
		return fmt.Sprintf("Medians over repeats; below them the interval of 95 %% by bootstrap, of fewer than %d repeats their range.", intervalLeast)
	case kinds["95 % interval"]:
		return "Medians over repeats; below them the interval of 95 % by bootstrap."
	case kinds["range"]:
		return fmt.Sprintf("Medians over repeats; below them their range: an interval needs %d.", intervalLeast)
	}
	return ""
}

// side is the table in Markdown.
func (m *markdown) side(v view) {
	lines := v.sideLines()
	if len(lines) == 0 {
		return
	}
	m.heading("Side by side")
	m.linef("%s\n", strings.TrimSpace("\"≥\": something other than the UPF limited it; \"?\": it rests on too little. "+v.spanWords()))
	heads := []string{""}
	for _, d := range v.DUTs {
		heads = append(heads, escape(d.Label))
	}
	var rows [][]string
	for _, line := range lines {
		cells := []string{escape(line.Name)}
		for _, c := range line.Cells {
			cells = append(cells, c.markdown())
		}
		rows = append(rows, cells)
	}
	m.table(heads, rows)
}

func (c sideCell) markdown() string {
	text := c.Text
	for _, more := range []string{c.Span, c.Note} {
		if more != "" {
			text += "<br>" + escape(more)
		}
	}
	return text
}
