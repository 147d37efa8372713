package report

import "strings"

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
	m.table([]string{"UPF", "Testbed", "Start to first<br>PFCP answer", "Sessions", "Provisioned in", "Sessions/s",
		"Cores, idle<br>before the trials", "Cores, idle<br>after them"}, rows)
}
