package report

// sideColumns is how many UPFs stand beside each other in 100 characters.
const (
	sideColumns = 5
	sideWidth   = 13
	sideName    = 34
)

// side is the table of all UPFs beside each other, as many as a line holds.
func (t *text) side(v view) {
	lines := v.sideLines()
	if len(lines) == 0 {
		return
	}
	for from := 0; from < len(v.DUTs); from += sideColumns {
		to := min(from+sideColumns, len(v.DUTs))
		heads := make([]string, 0, sideColumns)
		for _, d := range v.DUTs[from:to] {
			heads = append(heads, d.Label)
		}
		t.linef("")
		t.sideRow("side by side", heads)
		for _, line := range lines {
			t.sideLine(line, from, to)
		}
	}
	if words := v.spanWords(); words != "" {
		t.say("  ", words)
	}
}

func (t *text) sideLine(line sideLine, from, to int) {
	var texts, spans []string
	repeated := false
	for _, c := range line.Cells[from:to] {
		texts, spans = append(texts, c.Text), append(spans, c.Span)
		repeated = repeated || c.Span != ""
	}
	t.sideRow("  "+line.Short, texts)
	if repeated {
		t.sideRow("", spans)
	}
}

func (t *text) sideRow(name string, cells []string) {
	row := pad(name, sideName, false)
	for _, c := range cells {
		row += pad(c, sideWidth, true)
	}
	t.linef("%s", row)
}
