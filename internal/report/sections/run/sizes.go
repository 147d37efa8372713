package run

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// Sizes is the overview of a run with several sizes of packets: the rate over size,
// and a line for each size and UPF.
func Sizes(v *view.Run) block.Section {
	if len(v.Sizes) == 0 {
		return block.Section{}
	}
	s := block.Section{Title: "By size of packets",
		Hint:   "Gbit/s are L2, without FCS. Both: uplink and downlink at once; rates are the sum of the two.",
		Blocks: []block.Block{sizeFigure(v)}}
	for _, direction := range v.Directions {
		s.Blocks = append(s.Blocks, sizeTable(v, direction))
	}
	return s
}

func sizeTable(v *view.Run, direction record.Direction) block.Table {
	what := "Highest received"
	if v.Searched {
		what = "Non-drop rate"
	}
	t := block.Table{Title: string(direction), Columns: []block.Column{block.Merged("Size"), block.Key("UPF"), block.Number(what, "Mpps"),
		block.Number(what, "Gbit/s"), block.Number("Latency p50", "µs"), block.Words("What the rate is")}}
	for _, one := range v.Sizes {
		for _, d := range one.UPFs {
			h := one.Headline(d, direction)
			mpps, gbps, note := h.Rate()
			p50 := view.Unknown().Cell(func(float64) string { return "n/a" })
			if h.Lowest != nil {
				p50 = h.Lowest.Latency(view.P50)
			}
			t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{block.T(one.Size), d.NameCell(), mpps, gbps, p50, block.T(note)}, Tone: d.Tone()})
		}
	}
	return t
}

func sizeFigure(v *view.Run) block.Figure {
	f := block.Figure{ID: "sizes", Title: "Throughput over size", Shape: block.XY, Only: block.HTML, ViewOf: "Unit",
		Caption: "Frames as sent, without FCS. Mixtures are at their mean, apart from the line. Hollow marks were " +
			"limited by something other than the UPF."}
	for _, unit := range []block.Unit{block.PPS, block.BPS} {
		one := block.View{Name: map[block.Unit]string{block.PPS: "packets/s", block.BPS: "bits/s"}[unit]}
		for _, direction := range v.Directions {
			one.Panels = append(one.Panels, block.Panel{Title: string(direction), X: block.Axis{Label: "frame as sent, bytes", Scale: block.Log},
				Y: block.Axis{Label: "rate", Unit: unit}, Series: sizeSeries(v, direction, unit), Tip: []block.Field{{Name: "size"}, {Name: ""}}})
		}
		f.Views = append(f.Views, one)
	}
	return f
}

// sizeSeries has a line for each UPF, and its mixtures as points of another series.
func sizeSeries(v *view.Run, direction record.Direction, unit block.Unit) (all []block.Series) {
	for _, d := range v.UPFs {
		line := block.Series{Name: d.Label, Color: d.Color(), Line: "thin", Mark: d.Mark()}
		mixed := line
		mixed.Line = ""
		for _, one := range v.Sizes {
			p, mixture, known := sizePoint(one, one.UPFs[d.Index], direction, unit)
			switch {
			case known && mixture:
				mixed.Data = append(mixed.Data, p)
			case known:
				line.Data = append(line.Data, p)
			}
		}
		for _, s := range []block.Series{line, mixed} {
			if len(s.Data) > 0 {
				all = append(all, s)
			}
		}
	}
	return all
}

func sizePoint(v *view.Run, d *view.UPF, direction record.Direction, unit block.Unit) (p block.Point, mixed, known bool) {
	t, h := v.AnyTrial(direction), v.Headline(d, direction)
	if t == nil || h.PPS() == 0 {
		return p, false, false
	}
	_, _, note := h.Rate()
	bits, bound := h.NDR.BPS, h.NDR.Bound
	if !h.NDR.Searched {
		bits, bound = h.Best.Stat(view.RxBPS).Median, h.Best.Bound() && h.Best.Limit() != record.LimitNone
	}
	p = block.Point{X: float64(t.FrameBytes), Y: math.Round(h.PPS()), More: []any{v.Size, note}}
	if unit == block.BPS {
		p.Y = math.Round(bits)
	}
	if bound {
		p.Style = "hollow"
	}
	return p, t.Mixed, true
}
