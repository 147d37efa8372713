package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// loads is the studies' load table: a row for each load and DUT, both
// directions side by side, the reference last.
func (m *markdown) loads(v view) {
	if len(v.Loads) == 0 {
		return
	}
	m.heading("Load measurement")
	m.linef("L2 rates: the frame from the Ethernet header on, without FCS. \"≥\": something other than the DUT")
	m.linef("limited the trial (last column), so the DUT can do at least that.%s\n", repeatNote(v))
	heads := []string{"Load", "UPF"}
	for _, direction := range v.Directions {
		heads = append(heads, title(escape(direction))+"<br>Gbps", "<br>Kpps", "Generator<br>CPU%", "Frame loss<br>ratio", "DUT CPU<br>cores", "Limited by")
	}
	m.table(heads, v.cells(record.KindLoad, v.Loads, loadCells))
}

func loadCells(r *row) []string {
	if r == nil {
		return absent(6)
	}
	return []string{
		"Tx:" + r.TxGbps.String() + "<br>Rx:" + r.RxGbps.String(),
		"Tx:" + r.TxKpps.String() + "<br>Rx:" + r.RxKpps.String(),
		r.Generator.String(), r.Loss.String(), r.Cores.String(), limitCell(r),
	}
}

// loadLatency is what latency does under load; no study had it.
func (m *markdown) loadLatency(v view) {
	if len(v.Loads) == 0 {
		return
	}
	m.heading("Latency under load")
	m.linef("One way, from the intended send time, in µs. At max the queues in front of the DUT are full.%s\n", wireNote(v))
	heads := []string{"Load", "UPF"}
	for _, direction := range v.Directions {
		heads = append(heads, title(escape(direction))+"<br>p50", "<br>p99", "<br>p99.9")
		if v.HasReference {
			heads = append(heads, "Wire<br>p50")
		}
	}
	m.table(heads, v.cells(record.KindLoad, v.Loads, v.percentileCells))
}

func (v view) percentileCells(r *row) []string {
	if r == nil {
		return absent(len(v.withWire(nil, nil)) + 3)
	}
	return v.withWire([]string{r.P50.String(), r.P99.String(), r.P999.String() + invalidMark(r)}, r)
}

// withWire adds the reference's latency where there is a reference.
func (v view) withWire(cells []string, r *row) []string {
	switch {
	case !v.HasReference:
		return cells
	case r == nil:
		return append(cells, notMeasured)
	default:
		return append(cells, r.Wire.String())
	}
}

// latencies is the studies' latency table.
func (m *markdown) latencies(v view) {
	loads := slices.DeleteFunc(slices.Clone(v.Latencies), func(load string) bool { return strings.HasSuffix(load, shareOfNDR) })
	if len(loads) == 0 {
		return
	}
	m.heading("Latency measurement")
	m.linef("One way, from the intended send time.%s%s\n", repeatNote(v), wireNote(v))
	heads := []string{"Load", "UPF"}
	for _, direction := range v.Directions {
		heads = append(heads, title(escape(direction))+"<br>Avg<br>(msec)", "<br>Max<br>(msec)", "<br>Min<br>(msec)",
			"p50<br>(µs)", "p99<br>(µs)", "p99.9<br>(µs)", "Frame loss<br>ratio")
		if v.HasReference {
			heads = append(heads, "Wire p50<br>(µs)")
		}
	}
	m.table(heads, v.cells(record.KindLatency, loads, v.latencyCells))
}

func (v view) latencyCells(r *row) []string {
	if r == nil {
		return absent(len(v.withWire(nil, nil)) + 7)
	}
	return v.withWire([]string{
		r.MeanMS.String(), r.MaxMS.String(), r.MinMS.String(),
		r.P50.String(), r.P99.String(), r.P999.String(), r.Loss.String() + invalidMark(r),
	}, r)
}

// cells lays a kind of trial out: a line for each load and DUT, what of gives
// for each direction.
func (v view) cells(kind string, loads []string, of func(*row) []string) [][]string {
	var lines [][]string
	for _, load := range loads {
		for _, d := range v.DUTs {
			if line, found := v.line(d, kind, load, of); found {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func (v view) line(d dutView, kind, load string, of func(*row) []string) (cells []string, found bool) {
	cells = []string{escape(load), nameCell(d)}
	for _, direction := range v.Directions {
		r := d.row(kind, direction, load)
		found = found || r != nil
		cells = append(cells, of(r)...)
	}
	return cells, found
}

func nameCell(d dutView) string {
	name := escape(d.Label)
	if d.Reference {
		return "*" + name + "*"
	}
	if d.Version != "" {
		name += "<br>" + escape(d.Version)
	}
	return name
}

func limitCell(r *row) string {
	if !r.Valid {
		return "**not valid**"
	}
	text := escape(r.Limited)
	if r.Repeats != "1" {
		text += fmt.Sprintf("<br>(n = %s)", r.Repeats)
	}
	return text
}

func invalidMark(r *row) string {
	if r.Valid {
		return ""
	}
	return " **not valid**"
}

func absent(n int) []string {
	cells := make([]string, n)
	for i := range cells {
		cells[i] = notMeasured
	}
	return cells
}

func repeatNote(v view) string {
	if !v.Repeated {
		return ""
	}
	return " Figures are medians over the repeats that are valid, with (min..max) where they differ."
}
