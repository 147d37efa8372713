package report

// As many UPFs stand beside each other as 100 characters hold, in columns that are
// wide enough for a value, or for the longest name.
const (
	lineWidth = 100
	sideWidth = 13
	sideName  = 34
)

// sideColumn is the width of a UPF's column.
func (v view) sideColumn() int {
	width := sideWidth
	for _, d := range v.DUTs {
		width = max(width, len(d.Label)+1)
	}
	return width
}

// side is the table of all UPFs beside each other, as many as a line holds.
func (t *text) side(v view) {
	lines := v.sideLines()
	if len(lines) == 0 {
		return
	}
	width := v.sideColumn()
	columns := max(1, (lineWidth-sideName)/width)
	for from := 0; from < len(v.DUTs); from += columns {
		to := min(from+columns, len(v.DUTs))
		var heads []string
		for _, d := range v.DUTs[from:to] {
			heads = append(heads, d.Label)
		}
		t.linef("")
		t.sideRow("side by side", heads, width)
		for _, line := range lines {
			t.sideLine(line, from, to, width)
		}
	}
	if words := v.spanWords(); words != "" {
		t.say("  ", words)
	}
}

func (t *text) sideLine(line sideLine, from, to, width int) {
	var texts, spans []string
	repeated := false
	for _, c := range line.Cells[from:to] {
		texts, spans = append(texts, c.Text), append(spans, c.Span)
		repeated = repeated || c.Span != ""
	}
	t.sideRow("  "+line.Short, texts, width)
	if repeated {
		t.sideRow("", spans, width)
	}
}

func (t *text) sideRow(name string, cells []string, width int) {
	row := pad(name, sideName, false)
	for _, c := range cells {
		row += pad(c, width, true)
	}
	t.linef("%s", row)
}
