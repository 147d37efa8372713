package report

import "fmt"

// evidence shows what the verdicts rest on.
func (m *markdown) evidence(v view) {
	list := v.evidences()
	if len(list) == 0 {
		return
	}
	m.heading("Evidence")
	m.linef("What the verdicts rest on. Run-queue delay: the share of the time that the UPF's thread that waited most was ready")
	m.linef("to run and had no CPU.\n")
	heads := []string{"UPF", "Trial", "Repeat"}
	for _, h := range evidenceHeads() {
		heads = append(heads, escape(h))
	}
	rows := make([][]string, len(list))
	for i, e := range list {
		rows[i] = []string{escape(e.DUT), escape(e.Name), fmt.Sprint(e.Repeat)}
		for _, c := range e.Cells {
			rows[i] = append(rows[i], escape(c))
		}
	}
	m.table(heads, rows)
}
