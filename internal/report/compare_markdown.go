package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/upflab/upflab/internal/compare"
)

func (m *markdown) compareSides(c *compare.Comparison) {
	m.heading("What was compared")
	m.linef("- A: %s", escape(sideWords(c.A)))
	m.linef("- B: %s", escape(sideWords(c.B)))
	m.linef("\n%s", escape(title(methodWords(c))))
	if len(c.Caveats) > 0 {
		m.heading("Caveats")
		m.lines(c.Caveats)
	}
}

func (m *markdown) comparePair(c *compare.Comparison, p compare.Pair, notes *footnotes) {
	m.heading(escape(pairWords(p)))
	bases := basesOf(p)
	heads := []string{"Trial", "Figure", "A", "B"}
	for _, b := range bases {
		heads = append(heads, baseWords(b), "95 % interval")
	}
	heads = append(heads, "Repeats", "Verdict")
	var rows [][]string
	for _, f := range p.Figures {
		rows = append(rows, compareRow(c, p, f, bases, notes))
	}
	m.table(heads, rows)
}

func compareRow(c *compare.Comparison, p compare.Pair, f compare.Figure, bases []compare.Basis, notes *footnotes) []string {
	cells := []string{escape(trialWords(f)), metricWords(f.Metric), sampleWords(f.Metric, f.A), sampleWords(f.Metric, f.B)}
	for _, b := range bases {
		change := f.On(b)
		cells = append(cells, changeWords(f.Metric, change), intervalWords(change))
	}
	verdict := string(f.Verdict)
	if f.Verdict == compare.Better || f.Verdict == compare.Worse {
		verdict = "**" + verdict + "**"
	}
	return append(cells, fmt.Sprintf("%d, %d", f.A.N, f.B.N), verdict+notes.mark(why(c, p, f)))
}

// basesOf lists on what the pair's changes are known, the verdicts' first.
func basesOf(p compare.Pair) []compare.Basis {
	var bases []compare.Basis
	for _, b := range []compare.Basis{compare.BasisPaired, compare.BasisWire, compare.BasisRaw} {
		for _, f := range p.Figures {
			if f.On(b).Known {
				bases = append(bases, b)
				break
			}
		}
	}
	return bases
}

func baseWords(b compare.Basis) string {
	switch b {
	case compare.BasisPaired:
		return "Change, by repeat"
	case compare.BasisWire:
		return "Change, by wire"
	}
	return "Change, as measured"
}

func (m *markdown) compareNotes(c *compare.Comparison, notes footnotes) {
	if len(notes) > 0 {
		m.heading("Why it cannot be told, and doubts")
	}
	for i, note := range notes {
		m.linef("%d. %s", i+1, escape(title(note)))
	}
	if len(c.LeftOut) > 0 {
		m.heading("Left out")
		m.lines(c.LeftOut)
	}
}

// lines is a list of what may begin with a name.
func (m *markdown) lines(list []string) {
	for _, line := range list {
		m.linef("- %s", escape(line))
	}
}

func writeJSON(w io.Writer, c *compare.Comparison) error {
	body, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write the comparison as JSON: %w", err)
	}
	return write(w, "the comparison", append(body, '\n'))
}
