package studies

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// plot is a column of a table that stands for a plot of the study.
type plot struct {
	block.Column
	quantity  string // published; "": in no number
	direction record.Direction
	ours      func(*view.UPF) string
}

// evaluationTables are the study's figures 4 to 9, which are plots: the numbers that its
// text gives, and all of this run's.
func evaluationTables(v *view.Run, s *published.Study) []block.Table {
	up, down := record.Uplink, record.Downlink
	flow := func(kind string, d record.Direction, of func(*record.AppFlow) float64, write units.Writer) func(*view.UPF) string {
		return func(u *view.UPF) string { return mean(only(u, kind, d), of, write) }
	}
	tcp, udp, ping := record.FlowTCP, record.FlowUDP, record.FlowPing
	cpu := func(of func(*record.AppFlow) float64) func(*view.UPF) string {
		return func(u *view.UPF) string {
			if u.Reference { // it has no CPU of its own
				return units.None
			}
			return mean(only(u, udp, up), of, units.Percent)
		}
	}
	return []block.Table{
		evaluationTable(v, s, "Figures 4 and 8: throughput", []plot{
			{block.Number("Uplink TCP", "Gbit/s"), "tcp_received", up, flow(tcp, up, received, units.Gbps)},
			{block.Number("Uplink UDP", "Gbit/s"), "udp_received", up, flow(udp, up, received, units.Gbps)},
			{block.Number("Downlink TCP", "Gbit/s"), "tcp_received", down, flow(tcp, down, received, units.Gbps)},
			{block.Number("Downlink UDP", "Gbit/s"), "udp_received", down, flow(udp, down, received, units.Gbps)}}),
		evaluationTable(v, s, "Figures 5 and 8: jitter and average round-trip time", []plot{
			{block.Number("Jitter uplink", "µs"), "", up, flow(udp, up, jitter, units.Micros)},
			{block.Number("Jitter downlink", "µs"), "", down, flow(udp, down, jitter, units.Micros)},
			{block.Number("RTT", "ms"), "rtt", up, flow(ping, record.Both, meanRTT, units.Millis)}}),
		evaluationTable(v, s, "Figures 6 and 9: packet loss", []plot{
			{block.Number("Uplink", "%"), "loss", up, flow(udp, up, lossRatio, units.Percent)},
			{block.Number("Downlink", "%"), "loss", down, flow(udp, down, lossRatio, units.Percent)}}),
		evaluationTable(v, s, "Figures 7 and 9: CPU of the UPF with UDP uplink", []plot{
			{block.Number("Idle before", "%"), "dut_cpu_idle", up, cpu(idleBefore)},
			{block.Number("With traffic", "%"), "dut_cpu", up, cpu(busy)},
			{block.Number("Idle after", "%"), "dut_cpu_idle", up, cpu(idleAfter)}}),
	}
}

func evaluationTable(v *view.Run, s *published.Study, title string, plots []plot) block.Table {
	t := block.Table{Title: title, Columns: []block.Column{block.Key("UPF"), block.Words("Whose")}}
	for _, p := range plots {
		t.Columns = append(t.Columns, p.Column)
	}
	for _, name := range namesOf(s) {
		if row, any := evaluationTheirs(s, name, plots); any {
			t.Rows = append(t.Rows, row)
		}
	}
	for _, d := range v.UPFs {
		row := block.Row{Tone: d.Tone(), Cells: []block.Cell{d.NameCell(), block.T("here")}}
		for _, p := range plots {
			row.Cells = append(row.Cells, block.T(p.ours(d)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// evaluationTheirs is a row of a UPF of the study; any is false where no number is given.
func evaluationTheirs(s *published.Study, name string, plots []plot) (row block.Row, any bool) {
	var cells []block.Cell
	for _, p := range plots {
		text := "plot"
		for i := range s.Measurements {
			m := &s.Measurements[i]
			if m.DUT != name || m.Direction != string(p.direction) {
				continue
			}
			if got := figureOf(m, p.quantity); got != units.None {
				text, any = got, true
			}
		}
		cells = append(cells, block.T(text))
	}
	return theirRow([]block.Cell{block.T(name), block.T("published")}, cells), any
}

// namesOf lists the UPFs of a study.
func namesOf(s *published.Study) (names []string) {
	seen := map[string]bool{}
	for i := range s.Measurements {
		if name := s.Measurements[i].DUT; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

func busy(f *record.AppFlow) float64 { return f.CPU.DUT }

// idleBefore is the UPF's cores in the second before a flow, idleAfter in the one after.
func idleBefore(f *record.AppFlow) float64 {
	return cores(f, func(p record.AppCPUPoint) bool { return p.T <= 0 })
}

func idleAfter(f *record.AppFlow) float64 {
	last := math.Inf(-1)
	if n := len(f.CPUSeries); n > 0 {
		last = f.CPUSeries[n-1].T
	}
	return cores(f, func(p record.AppCPUPoint) bool { return p.T == last })
}

func cores(f *record.AppFlow, when func(record.AppCPUPoint) bool) float64 {
	sum, n := 0.0, 0.0
	for _, p := range f.CPUSeries {
		if when(p) {
			sum, n = sum+p.DUT, n+1
		}
	}
	return sum / n // NaN of none
}
