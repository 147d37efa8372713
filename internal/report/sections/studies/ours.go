package studies

import (
	"math"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// only is a UPF's flow of a kind and direction by one UE with nothing else going on, the
// first of several; nil: there is none.
func only(d *view.UPF, kind string, direction record.Direction) *view.FlowGroup {
	for _, g := range d.FlowGroups(kind) {
		if g.Direction == direction && g.UEs == 1 && g.Streams == 1 && g.Beside == "" && !g.Handover {
			return g
		}
	}
	return nil
}

// mean writes the mean of a figure; of a flow that is not valid too, with a mark.
func mean(g *view.FlowGroup, of func(*record.AppFlow) float64, write units.Writer) string {
	if g == nil {
		return units.None
	}
	text := write(g.Mean(of))
	if !g.Valid() {
		text += " *"
	}
	return text
}

func sent(f *record.AppFlow) float64      { return f.SentBPS }
func received(f *record.AppFlow) float64  { return f.GoodputBPS }
func lossRatio(f *record.AppFlow) float64 { return f.LossRatio }
func jitter(f *record.AppFlow) float64    { return f.JitterNS }

func meanRTT(f *record.AppFlow) float64 {
	if f.RTT == nil {
		return math.NaN()
	}
	return float64(f.RTT.Mean)
}

// limitCell names what limited the flows of a row.
func limitCell(groups ...*view.FlowGroup) (c block.Cell) {
	var names []string
	for _, g := range groups {
		if g == nil {
			continue
		}
		one := g.Limit()
		if len(names) == 0 || names[len(names)-1] != one.Text {
			names = append(names, one.Text)
		}
		if one.Note != "" {
			c.Note = one.Note
		}
	}
	c.Text = units.OrNone(strings.Join(names, ", "))
	return c
}

// toneOf is that of a row of flows: bad where one of them is.
func toneOf(groups ...*view.FlowGroup) block.Tone {
	for _, g := range groups {
		if g != nil && !g.Valid() {
			return block.Bad
		}
	}
	return block.Plain
}

// mbps writes bits/s as Mbit/s.
func mbps(bps float64) string { return units.Number(bps/1e6, "%.4g") }
