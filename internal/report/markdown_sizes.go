package report

// sizes is the overview of a result with several sizes: a line for each size and
// DUT, the directions side by side.
func (m *markdown) sizes(v view) {
	m.linef("A line for each size; what a size is stands above its tables below. Gbit/s are L2, without FCS.\n")
	heads := []string{"Size", "UPF"}
	rate := "Highest received<br>(Mpps)"
	if v.Searched {
		rate = "Non-drop rate<br>(Mpps)"
	}
	for _, direction := range v.Directions {
		heads = append(heads, title(escape(direction))+"<br>"+rate, "<br>(Gbit/s)", "What that is", "Latency<br>p50 (µs)")
	}
	var rows [][]string
	for _, l := range v.sizeLines() {
		cells := []string{escape(l.Size), nameCell(l.DUT)}
		for _, f := range l.Figures {
			mpps, gbps, note := f.Rate()
			cells = append(cells, mpps, gbps, escape(note), f.P50.String())
		}
		rows = append(rows, cells)
	}
	m.table(heads, rows)
}
