package report

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
