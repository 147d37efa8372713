package report

import "github.com/upflab/upflab/internal/record"

// curve is latency against load, for the DUTs that have it at several loads.
func (m *markdown) curve(v view) {
	rows := v.curveCells()
	if len(rows) == 0 {
		return
	}
	m.heading("Latency against load")
	m.linef("The latency trials by what was offered, one way, from the intended send time, in µs. NDR is the non-drop rate of the")
	m.linef("same DUT and direction.%s\n", wireNote(v))
	heads := []string{"UPF", "Direction", "Load", "Offered<br>(kpps)", "p50", "p99", "p99.9", "p99.99"}
	if v.HasReference {
		heads = append(heads, "Wire p50")
	}
	m.table(append(heads, "Frame loss<br>ratio", "Limited by"), rows)
}

func (v view) curveCells() [][]string {
	var lines [][]string
	for _, d := range v.DUTs {
		for _, direction := range v.Directions {
			for _, r := range v.curveRows(d, direction) {
				lines = append(lines, v.curveLine(d, r))
			}
		}
	}
	return lines
}

func (v view) curveLine(d dutView, r *row) []string {
	cells := []string{nameCell(d), escape(r.Direction), escape(r.Load), r.Offered.String(), r.P50.String(), r.P99.String(),
		r.P999.String(), r.P9999.String()}
	if v.HasReference {
		cells = append(cells, r.Wire.String())
	}
	return append(cells, r.Loss.String(), limitCell(r))
}

// curveRows lists the latency trials of a DUT in a direction by load, none when
// there is but one.
func (v view) curveRows(d dutView, direction string) []*row {
	var rows []*row
	for _, load := range v.Latencies {
		if r := d.row(record.KindLatency, direction, load); r != nil {
			rows = append(rows, r)
		}
	}
	if len(rows) < 2 {
		return nil
	}
	return rows
}

func wireNote(v view) string {
	if !v.HasReference {
		return ""
	}
	return " Wire p50 is what the bench adds in the same placement, at the same load or the nearest one, which is then named."
}
