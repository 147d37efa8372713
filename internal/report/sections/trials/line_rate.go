package trials

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Lines are the physical links whose speed is known: what they carry of the frames, and how much
// of the latency is the time that a frame takes onto them.
func Lines(v *view.Run) block.Section {
	s := block.Section{Title: "Line rate and serialisation delay",
		Hint: "Line rate: frames/s with preamble, FCS and the gap between frames; a load above it is limited by " +
			"the link. Serialisation delay: from a frame's first bit on the link " +
			"to its last, which what forwards whole frames waits for. Latencies in other tables contain it; it is subtracted here alone."}
	for _, t := range []block.Table{lineTable(v), delayTable(v)} {
		if len(t.Rows) > 0 {
			s.Blocks = append(s.Blocks, t)
		}
	}
	return s
}

// lineTable has each link and way once.
func lineTable(v *view.Run) block.Table {
	t := block.Table{Columns: []block.Column{block.Key("Link"), block.Words("Direction"),
		block.Number("Speed", "Gbit/s"), block.Number("Frame", "B"),
		block.Number("Line rate", "Mpps"), block.Number("Serialisation", "µs")}}
	seen := map[record.Line]bool{}
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			for _, trial := range r.All {
				for _, l := range trial.Lines {
					if l.Share = 0; !seen[l] {
						seen[l] = true
						t.Rows = append(t.Rows, lineRow(l))
					}
				}
			}
		}
	}
	return t
}

func delayTable(v *view.Run) block.Table {
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Words("Trial"), block.Number("p50", "µs"),
		block.Number("Serialisation", "µs"),
		block.Number("p50 less that", "µs")}}
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			if row, has := delayRow(r); has {
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

func lineRow(l record.Line) block.Row {
	return block.Row{Cells: append([]block.Cell{block.T(strings.ToUpper(l.Link))},
		block.Cells(string(l.Direction), units.Gbps(float64(l.BitsPerS)), fmt.Sprint(l.FrameBytes),
			units.FineMpps(l.PPS), units.Micros(l.SerialisationNS))...)}
}

// delayRow is a row's median latency without the time that its frames take onto the links:
// of trials of one direction whose links are both known.
func delayRow(r *view.Row) (row block.Row, has bool) {
	if len(r.All) == 0 || len(r.All[0].Lines) != 2 || r.All[0].Direction == record.Both || r.All[0].Latency == nil {
		return row, false
	}
	onto := r.All[0].Lines[0].SerialisationNS + r.All[0].Lines[1].SerialisationNS
	less := func(l *record.Latency) float64 { return float64(l.P50) - onto }
	without := r.Cell(view.LatencyOf(less), units.Micros)
	without.Text = r.LatencySign(view.P50) + without.Text
	return block.Row{Tone: r.Tone(), Cells: []block.Cell{r.UPF.NameCell(), block.T(r.Where() + " " + r.Name()),
		r.Latency(view.P50), block.T(units.Micros(onto)), without}}, true
}
