package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/compare"
)

// CompareExporter writes a comparison in one format. It fails only when w does,
// or when there is no comparison.
type CompareExporter func(w io.Writer, c *compare.Comparison) error

var errNoComparison = errors.New("there is no comparison to report: compare two results first")

// CompareText writes a comparison for a terminal: no line over 100 characters,
// no colours. What it rests on comes first, what it comes to last.
func CompareText(w io.Writer, c *compare.Comparison) error {
	if c == nil {
		return errNoComparison
	}
	var t text
	t.compareHead(c)
	var notes footnotes
	for _, p := range c.Pairs {
		t.comparePair(c, p, &notes)
	}
	t.compareNotes(c, notes)
	t.linef("")
	for _, line := range gateWords(c) {
		t.say("- ", line)
	}
	return write(w, "the comparison", t.Bytes())
}

func (t *text) compareHead(c *compare.Comparison) {
	t.say("A  ", sideWords(c.A))
	t.say("B  ", sideWords(c.B))
	for _, caveat := range c.Caveats {
		t.say("! ", caveat)
	}
	t.say("", methodWords(c))
}

func (t *text) comparePair(c *compare.Comparison, p compare.Pair, notes *footnotes) {
	t.linef("")
	t.say("", pairWords(p))
	if p.Reference() {
		all := len(p.Figures)
		p.Figures = changed(p.Figures)
		t.say("  ", fmt.Sprintf("of %s %d shown to have changed", plural(all, "figure"), len(p.Figures)))
	}
	if len(p.Figures) == 0 {
		return
	}
	t.linef("%s", compareLine([]string{"", "figure", "A", "B", "change", "95 % interval", "verdict"}))
	last := ""
	for _, f := range p.Figures {
		trial := t.compareTrial(trialWords(f), last)
		last = trialWords(f)
		t.linef("%s", compareLine([]string{trial, metricWords(f.Metric), sampleWords(f.Metric, f.A), sampleWords(f.Metric, f.B),
			changeWords(f.Metric, f.Change()), intervalWords(f.Change()), string(f.Verdict) + notes.mark(why(c, p, f))}))
	}
}

// changed keeps the figures that are known to differ.
func changed(figures []compare.Figure) []compare.Figure {
	var list []compare.Figure
	for _, f := range figures {
		if f.Verdict == compare.Better || f.Verdict == compare.Worse {
			list = append(list, f)
		}
	}
	return list
}

// compareTrial gives the first cell of a line: empty where the line before has
// the same, and where it is so long that it takes a line of its own.
func (t *text) compareTrial(trial, last string) string {
	switch {
	case trial == last:
		return ""
	case utf8.RuneCountInString(trial) > trialWidth:
		t.say("  ", trial)
		return ""
	}
	return trial
}

// why says on what the verdict of a figure falls short.
func why(c *compare.Comparison, p compare.Pair, f compare.Figure) string {
	if f.Verdict == compare.Equal {
		return ""
	}
	if f.Why == "" && f.Basis != c.Basis && !p.Reference() {
		return "as measured: wire has no such figure"
	}
	return f.Why
}

// trialWidth is that of the first cell.
const trialWidth = 18

// compareLine is 100 characters at most with the verdict's foot note.
func compareLine(cells []string) string {
	widths := []int{trialWidth, 11, 11, 11, 9, 16}
	line := "  " + pad(cells[0], widths[0], false) + " " + pad(cells[1], widths[1], false)
	for i := 2; i < len(widths); i++ {
		line += " " + pad(cells[i], widths[i], true)
	}
	return line + " " + cells[len(widths)]
}

func (t *text) compareNotes(c *compare.Comparison, notes footnotes) {
	const most = 8
	if len(notes)+len(c.LeftOut) > 0 {
		t.linef("")
	}
	for i, note := range notes {
		t.say(fmt.Sprintf("(%d) ", i+1), note)
	}
	for _, line := range c.LeftOut[:min(most, len(c.LeftOut))] {
		t.say("left out: ", line)
	}
	if n := len(c.LeftOut) - most; n > 0 {
		t.say("left out: ", fmt.Sprintf("%d more of the like", n))
	}
}

// CompareJSON writes a comparison for programs, as compare.Comparison has it.
func CompareJSON(w io.Writer, c *compare.Comparison) error {
	if c == nil {
		return errNoComparison
	}
	return writeJSON(w, c)
}

// CompareMarkdown writes a comparison as a page for a change request: what it
// comes to first, then the tables with both kinds of change.
func CompareMarkdown(w io.Writer, c *compare.Comparison) error {
	if c == nil {
		return errNoComparison
	}
	var m markdown
	m.linef("# %s\n", escape(compareTitle(c)))
	m.lines(gateWords(c))
	m.compareSides(c)
	var notes footnotes
	for _, p := range c.Pairs {
		m.comparePair(c, p, &notes)
	}
	m.compareNotes(c, notes)
	return write(w, "the comparison", m.Bytes())
}

func compareTitle(c *compare.Comparison) string {
	var names []string
	for _, p := range c.Pairs {
		if !p.Reference() {
			names = append(names, p.Title())
		}
	}
	if len(names) == 0 {
		return "B against A"
	}
	return "B against A: " + strings.Join(names, ", ")
}
