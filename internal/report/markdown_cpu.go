package report

import "github.com/upflab/upflab/internal/record"

// cpu shows the parts of which a DUT's CPU time is the sum.
func (m *markdown) cpu(v view) {
	if len(v.Parts) == 0 {
		return
	}
	m.heading("CPU of the DUT by part")
	m.linef("Cores, 1 being one core fully busy. \"Its cores busy\" counts whoever used them.%s\n", repeatNote(v))
	heads := []string{"UPF", "Direction", "Load"}
	for _, name := range v.Parts {
		heads = append(heads, escape(title(name)))
	}
	heads = append(heads, "Together", "Its cores<br>busy (%)", "ns/packet", "BPF program<br>(ns/packet)", "Memory")
	var rows [][]string
	for _, kind := range []string{record.KindLoad, record.KindLatency} {
		rows = append(rows, v.cpuLines(kind)...)
	}
	m.table(heads, rows)
}

func (v view) cpuLines(kind string) [][]string {
	var lines [][]string
	for _, d := range v.DUTs {
		for _, r := range d.Rows {
			if r.group.Kind == kind {
				lines = append(lines, v.cpuLine(r))
			}
		}
	}
	return lines
}

func (v view) cpuLine(r row) []string {
	cells := []string{escape(r.DUT), escape(r.Where), escape(r.name())}
	for _, name := range v.Parts {
		cells = append(cells, r.Part(name).String())
	}
	return append(cells, r.Cores.String()+invalidMark(&r), r.Busy.String(), r.PerPacket().String(), r.Program().String(), r.Memory().String())
}
