package report

import (
	"math"

	"github.com/upflab/upflab/internal/record"
)

// chartData is what the HTML's charts are drawn from; it is embedded as JSON.
type chartData struct {
	Directions    []string       `json:"directions"`
	Loads         []string       `json:"loads"`
	DUTs          []chartDUT     `json:"duts"`
	Distributions []string       `json:"distributions"` // names of the trials of Latency
	Latency       []distribution `json:"latency"`
	Rates         []ratePoint    `json:"rates"`
	CPU           []cpuPoint     `json:"cpu"`
	Searches      []searchChart  `json:"searches"`
	Curve         []curvePoint   `json:"curve"`
	Loss          []lossPoint    `json:"loss,omitempty"`
	Series        seriesChart    `json:"series"`
	Side          []sideMetric   `json:"side"`
	// Sizes are the names of several sizes, BySize what is drawn of each, and
	// SizeRates the rates over size.
	Sizes     []string    `json:"sizes,omitempty"`
	BySize    []chartData `json:"bySize,omitempty"`
	SizeRates []sizePoint `json:"sizeRates,omitempty"`
}

type chartDUT struct {
	Index     int    `json:"index"`
	Label     string `json:"label"`
	Color     string `json:"color"`
	Reference bool   `json:"reference"`
}

type ratePoint struct {
	DUT       int    `json:"dut"`
	Direction string `json:"direction"`
	Load      string `json:"load"`
	Tx        figure `json:"tx"` // packets/s
	Rx        figure `json:"rx"`
	Loss      string `json:"loss"`
	Limited   string `json:"limited"`
	Bound     bool   `json:"bound"` // limited by something that is not the DUT
	Valid     bool   `json:"valid"`
}

type cpuPoint struct {
	DUT       int            `json:"dut"`
	Direction string         `json:"direction"`
	Load      string         `json:"load"`
	Cores     *figure        `json:"cores"` // null: unknown
	PerPacket *figure        `json:"perPacket"`
	Generator figure         `json:"generator"`
	Parts     []record.Share `json:"parts"`
	Valid     bool           `json:"valid"`
}

// figure is a number in JSON, 0 when it is none.
type figure float64

func newFigure(v float64) figure {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return figure(v)
}

// known is nil for a number nobody measured.
func known(v float64) *figure {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	f := figure(v)
	return &f
}

// charts are those of the view, or of each of its sizes.
func (v view) charts() chartData {
	if len(v.Sizes) == 0 {
		return v.chartsOfOne()
	}
	c := chartData{Directions: v.Directions, DUTs: v.chartDUTs(), SizeRates: v.sizePoints()}
	for _, one := range v.Sizes {
		c.Sizes = append(c.Sizes, one.Size)
		c.BySize = append(c.BySize, one.chartsOfOne())
	}
	return c
}

func (v view) chartDUTs() (list []chartDUT) {
	for _, d := range v.DUTs {
		list = append(list, chartDUT{Index: d.Index, Label: d.Label, Color: d.Color, Reference: d.Reference})
	}
	return list
}

func (v view) chartsOfOne() chartData {
	c := chartData{Directions: v.Directions, Loads: v.Loads, DUTs: v.chartDUTs()}
	for _, d := range v.DUTs {
		for _, r := range d.Rows {
			if r.group.Kind == record.KindLoad {
				c.Rates = append(c.Rates, newRatePoint(d, r))
				c.CPU = append(c.CPU, newCPUPoint(d, r))
			}
		}
	}
	c.Distributions, c.Latency = v.distributions()
	c.Searches, c.Curve, c.Series = v.searchCharts(), v.curvePoints(), v.series()
	c.Loss = v.lossPoints()
	c.Side = v.sideBySide()
	return c
}

func newRatePoint(d dutView, r row) ratePoint {
	return ratePoint{
		DUT: d.Index, Direction: r.Direction, Load: r.Load,
		Tx: newFigure(r.group.stat(txPPS).Median), Rx: newFigure(r.group.stat(rxPPS).Median),
		Loss: r.Loss.Text, Limited: r.Limited, Bound: r.AtLeast && r.Limited != "none", Valid: r.Valid,
	}
}

func newCPUPoint(d dutView, r row) cpuPoint {
	return cpuPoint{
		DUT: d.Index, Direction: r.Direction, Load: r.Load, Valid: r.Valid,
		Cores: known(r.group.stat(dutCores).Median), PerPacket: known(r.group.stat(cpuNS).Median),
		Generator: newFigure(r.group.stat(generator).Median), Parts: shares(r.group),
	}
}

// shares are those of the first trial whose figures count.
func shares(g group) []record.Share {
	if len(g.Used) == 0 {
		return nil
	}
	parts := g.Used[0].CPU.DUTParts
	for _, p := range parts {
		if math.IsNaN(p.Cores) || math.IsInf(p.Cores, 0) {
			return nil
		}
	}
	return parts
}
