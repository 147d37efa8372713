package report

import "fmt"

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
	if n, all := v.badSearches(); n > 0 {
		m.linef("\n**Not valid: %d of %d rates searched;** the reasons stand below their tables.", n, all)
	}
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
	if len(v.Sizes) > 0 {
		m.sizes(v)
		return
	}
	heads := []string{"UPF", "Direction"}
	if v.Searched {
		heads = append(heads, "Non-drop rate<br>(Mpps)", "What that is", "Partial drop rate<br>(Mpps)", "What that is")
	}
	heads = append(heads, "Highest received<br>(Mpps)", "<br>(Gbit/s)", "What that is", "Latency p50<br>(µs)", "<br>p99 (µs)")
	if v.HasReference {
		heads = append(heads, "Wire p50<br>(µs)")
	}
	var rows [][]string
	for _, h := range v.headlines() {
		for _, f := range h.Figures {
			rows = append(rows, v.headCells(h.DUT, f))
		}
	}
	m.table(append(heads, "DUT CPU<br>(ns/packet)"), rows)
}

func (v view) headCells(d dutView, f figures) []string {
	cells := []string{nameCell(d), escape(f.Direction)}
	if v.Searched {
		for _, g := range []goalFigure{f.NDR, f.PDR} {
			cells = append(cells, g.Mpps.String(), escape(g.Note))
		}
	}
	cells = append(cells, f.Mpps.String(), f.Gbps.String(), headNote(f), f.P50.String(), f.P99.String())
	if v.HasReference {
		cells = append(cells, f.Wire.String())
	}
	return append(cells, f.CPUNS.String())
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
