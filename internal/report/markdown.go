package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// Markdown writes report.md: the tables of the published studies of UPFs, with
// the columns that they lacked, and all that is needed to judge and repeat them.
func Markdown(w io.Writer, r *record.Result) error { return writeMarkdown(w, r, Beside{}) }

func writeMarkdown(w io.Writer, r *record.Result, b Beside) error {
	if r == nil {
		return errNoResult
	}
	var m markdown
	v := newView(r)
	v.Published = v.publish(b.Published)
	m.head(v)
	m.headlines(v)
	for _, part := range v.parts() {
		m.part(part)
	}
	for _, section := range []func(view){
		m.soaks, m.reference, m.cpu, m.published, m.duts, m.variation, m.verdicts, m.evidence, m.drops, m.setup, m.environment, m.repeat, m.notes,
	} {
		section(v)
	}
	return write(w, "the Markdown report", m.Bytes())
}

// part is the tables of one size.
func (m *markdown) part(v view) {
	if v.Size != "" {
		m.heading("Size " + escape(v.Size))
		m.list(v.sizeWords())
		m.within = "#"
	}
	for _, section := range []func(view){m.side, m.searches, m.lossCurves, m.bursts, m.loads, m.loadLatency, m.latencies, m.apart, m.curve} {
		section(v)
	}
	m.within = ""
}

// markdown collects the document; within is what headings have more where they
// stand below another.
type markdown struct {
	bytes.Buffer
	within string
}

func (m *markdown) linef(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) heading(title string) { m.linef("\n##%s %s\n", m.within, title) }

// table writes a table whose cells are escaped already.
func (m *markdown) table(heads []string, rows [][]string) {
	m.linef("| %s |", strings.Join(heads, " | "))
	m.linef("|%s", strings.Repeat(" --- |", len(heads)))
	for _, cells := range rows {
		m.linef("| %s |", strings.Join(cells, " | "))
	}
}

// fenced writes lines as they are, in a fence that they cannot close.
func (m *markdown) fenced(lines []string) {
	fence := "```"
	for strings.Contains(strings.Join(lines, "\n"), fence) {
		fence += "`"
	}
	m.linef("\n%s", fence)
	for _, line := range lines {
		m.linef("%s", line)
	}
	m.linef("%s", fence)
}

// escape makes a foreign text harmless in a paragraph or a table's cell.
func escape(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "$", `\$`, "#", `\#`,
	).Replace(printable(s))
}

// code writes a short text as code, its backticks made straight quotes.
func code(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(printable(s), "`", "'"), "|", `\|`)
	if s == "" {
		return notMeasured
	}
	return "`" + s + "`"
}
