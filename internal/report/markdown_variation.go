package report

import "fmt"

// variation shows how delay varied, and how packets were lost and overtaken.
func (m *markdown) variation(v view) {
	list := v.variations()
	if len(list) == 0 {
		return
	}
	m.heading("Delay variation, runs of losses, order")
	m.linef("%s\n", escape(variationNote))
	heads := append([]string{"UPF", "Trial", "Repeat"}, variationHeads()...)
	rows := make([][]string, len(list))
	for i, e := range list {
		rows[i] = []string{escape(e.DUT), escape(e.Name), fmt.Sprint(e.Repeat)}
		for _, c := range e.Cells {
			rows[i] = append(rows[i], escape(c))
		}
	}
	m.table(heads, rows)
}
