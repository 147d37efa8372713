// Package flows has the sections of a report on applications at the UEs: what they
// carried, how long packets and pages took, and both over time.
package flows

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// column is one of a table of flows.
type column struct {
	block.Column
	of func(*view.FlowGroup) block.Cell
}

// table shows the flows of a kind.
func table(groups []*view.FlowGroup, columns []column) block.Table {
	columns = append([]column{
		{block.Merged("Flow"), func(g *view.FlowGroup) block.Cell { return block.T(g.Name()) }},
		{block.Key("UPF"), func(g *view.FlowGroup) block.Cell { return g.UPF.NameCell() }},
	}, columns...)
	columns = append(columns, column{block.Words("Limited by"), (*view.FlowGroup).Limit})
	var t block.Table
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, g := range groups {
		row := block.Row{Tone: g.Tone()}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.of(g))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// section is a table of a kind of flow; nothing where there is none.
func section(v *view.Run, kind, title, hint string, columns []column) block.Section {
	groups := v.Flows(kind)
	if len(groups) == 0 {
		return block.Section{}
	}
	return block.Section{Title: title, Hint: hint, Blocks: []block.Block{table(groups, columns)}}
}

// number is a column of a figure.
func number(head, unit string, of func(*record.AppFlow) float64, write units.Writer) column {
	return column{block.Number(head, unit), func(g *view.FlowGroup) block.Cell { return g.Cell(of, write) }}
}

func pages(c column) column { c.Only = block.Pages; return c }

// positive is a figure of which 0 means that it is not known.
func positive(of func(*record.AppFlow) float64) func(*record.AppFlow) float64 {
	return func(f *record.AppFlow) float64 {
		if v := of(f); v > 0 {
			return v
		}
		return math.NaN()
	}
}

// timeOf is a figure of a distribution, ns.
func timeOf(t func(*record.AppFlow) *record.AppTime, of func(*record.AppTime) uint64) func(*record.AppFlow) float64 {
	return func(f *record.AppFlow) float64 {
		if d := t(f); d != nil {
			return float64(of(d))
		}
		return math.NaN()
	}
}

func rtt(f *record.AppFlow) *record.AppTime       { return f.RTT }
func firstByte(f *record.AppFlow) *record.AppTime { return f.FirstByte }

func least(t *record.AppTime) uint64  { return t.Min }
func mean(t *record.AppTime) uint64   { return t.Mean }
func median(t *record.AppTime) uint64 { return t.P50 }
func p99(t *record.AppTime) uint64    { return t.P99 }
func most(t *record.AppTime) uint64   { return t.Max }

func goodput(f *record.AppFlow) float64 { return f.GoodputBPS }
func sent(f *record.AppFlow) float64    { return f.SentBPS }
func loss(f *record.AppFlow) float64    { return f.LossRatio }

// percent writes a ratio as whole percents.
func percent(v float64) string { return units.Number(v*100, "%.0f %%") }

// whole writes a count.
func whole(v float64) string { return units.Count(uint64(math.Round(max(0, v)))) }
