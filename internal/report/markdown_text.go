package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (m *markdown) head(v view) {
	m.linef("# %s\n", escape(v.title()))
	if !v.Complete {
		m.linef("> **Incomplete run:** %s.\n", escape(whyIncomplete(v)))
	}
	m.linef("Scenario %s, run %s, %s to %s, upflab %s.", code(v.Scenario), code(v.Run), instant(v.Started),
		instant(v.Finished), escape(orNone(v.Tool.Version)))
	if s := v.Study; s != nil {
		m.linef("It repeats the measurement of %s, *%s* (%d), <%s>.", escape(s.Authors), escape(s.Title), s.Year, link(s.URL))
	}
	m.linef("")
	m.list(frames(v))
	if len(v.Bad) == 0 {
		return
	}
	m.linef("\n**Not valid: %d of %d trials.**\n", len(v.Bad), len(v.verdicts()))
	for _, bad := range v.Bad {
		m.linef("- %s, %s, repeat %d: %s", escape(bad.DUT), escape(bad.name()), bad.Repeat, escape(verdictWords(bad)))
	}
}

// title names the report.
func (v view) title() string {
	switch {
	case v.Title != "":
		return v.Title
	case v.Scenario != "":
		return v.Scenario
	default:
		return "upflab report"
	}
}

func (m *markdown) headlines(v view) {
	if len(v.Directions) == 0 {
		return
	}
	m.heading("In short")
	var rows [][]string
	for _, h := range v.headlines() {
		for _, f := range h.Figures {
			rows = append(rows, []string{nameCell(h.DUT), escape(f.Direction), f.Mpps.String(), f.Gbps.String(), headNote(f),
				f.P50.String(), f.P99.String(), f.CPUNS.String()})
		}
	}
	m.table([]string{"UPF", "Direction", "Highest received<br>(Mpps)", "<br>(Gbit/s)", "What that is",
		"Latency p50<br>(µs)", "<br>p99 (µs)", "DUT CPU<br>(ns/packet)"}, rows)
}

// headNote tells what a headline's rate is and at which load it was received.
func headNote(f figures) string {
	if !f.Known {
		return f.Note
	}
	return fmt.Sprintf("%s, offered %s", escape(f.Note), escape(f.Load))
}

func (m *markdown) reference(v view) {
	for _, d := range v.DUTs {
		if d.Reference {
			m.linef("\n*%s* is no UPF but bare forwarding in the same placement: its rates are the ceiling of the bench and its", escape(d.Label))
			m.linef("latencies what the bench adds, so a UPF's own share is what it has beyond them.")
		}
	}
}

// duts tells of each DUT what figures do not.
func (m *markdown) duts(v view) {
	if len(v.DUTs) == 0 {
		return
	}
	m.heading("The UPFs")
	for _, d := range v.DUTs {
		m.linef("### %s\n", escape(d.Label))
		m.linef("%s, %s, memory at most %s.", escape(orNone(d.Version)), d.state(), d.memoryOf())
		if d.Error != "" {
			m.linef("\n**%s**", escape(d.Error))
		}
		if lines := printableLines(d.LogTail); len(lines) > 0 {
			m.fenced(lines)
		}
		if len(d.Remarks) > 0 {
			m.linef("")
			m.list(d.Remarks)
		}
		if len(d.Files) > 0 {
			m.linef("\nFiles: %s", fileList(d.Files))
		}
		m.linef("")
	}
}

func fileList(files []string) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = code(f)
	}
	return strings.Join(names, ", ")
}

func (m *markdown) verdicts(v view) {
	all := v.verdicts()
	if len(all) == 0 {
		return
	}
	m.heading("Verdicts")
	rows := make([][]string, len(all))
	for i, one := range all {
		rows[i] = []string{escape(one.DUT), escape(one.name()), fmt.Sprint(one.Repeat), validWord(one), escape(orNone(one.LimitedBy)), escape(verdictWords(one))}
	}
	m.table([]string{"UPF", "Trial", "Repeat", "Valid", "Limited by", "Why"}, rows)
}

func validWord(v verdict) string {
	if v.Valid {
		return "yes"
	}
	return "**no**"
}

func (m *markdown) drops(v view) {
	if len(v.Directions) == 0 {
		return
	}
	m.heading("Where packets went")
	lost := v.drops()
	if len(lost) == 0 {
		m.linef("None was lost.")
		return
	}
	rows := make([][]string, len(lost))
	for i, d := range lost {
		rows[i] = []string{escape(d.DUT), escape(d.Direction + " " + d.Load), count(d.Lost), placeList(d.Places)}
	}
	m.table([]string{"UPF", "Trial", "Sent, not received", "Where"}, rows)
}

func placeList(places []place) string {
	if len(places) == 0 {
		return "no counter tells"
	}
	words := make([]string, len(places))
	for i, p := range places {
		words[i] = escape(p.String())
	}
	return strings.Join(words, "<br>")
}

func (m *markdown) setup(v view) {
	if len(v.DUTs) == 0 {
		return
	}
	m.heading("Setting up")
	var rows [][]string
	for _, d := range v.DUTs {
		cells := []string{nameCell(d)}
		for _, f := range d.setupFacts() {
			cells = append(cells, f.Value)
		}
		rows = append(rows, cells)
	}
	m.table([]string{"UPF", "Testbed", "Start to first<br>PFCP answer", "Sessions", "Provisioned in", "Sessions/s"}, rows)
}

func (m *markdown) environment(v view) {
	m.heading("Environment")
	var rows [][]string
	for _, f := range v.environment() {
		rows = append(rows, []string{f.Name, escape(f.Value)})
	}
	m.table([]string{"What", "Value"}, rows)
}

func (m *markdown) repeat(v view) {
	m.heading("How to repeat it")
	m.linef("Command:")
	m.fenced([]string{orNone(commandLine(v.Command))})
	m.linef("\nSettings, the whole scenario as it was run:")
	m.fenced(printableLines(v.Settings))
}

func (m *markdown) notes(v view) {
	if len(v.Notes) == 0 {
		return
	}
	m.heading("Doubts")
	m.list(v.Notes)
}

func (m *markdown) list(lines []string) {
	for _, line := range lines {
		m.linef("- %s", escape(title(line)))
	}
}

// title makes the first letter a capital one.
func title(s string) string {
	if s == "" {
		return s
	}
	first, rest := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[rest:]
}

// link keeps an address only if a browser would open it as a page.
func link(url string) string {
	url = printable(url)
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || strings.ContainsAny(url, "<>\"` ") {
		return "about:blank"
	}
	return url
}
