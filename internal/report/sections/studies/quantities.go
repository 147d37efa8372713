package studies

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// quantity is one that both have.
type quantity struct {
	Quantity, Name, Unit string
	Ours                 func(*view.Row) block.Cell
}

// compared are those of a kind, in the order of the studies' tables.
func compared(kind string) []quantity {
	ms := func(of func(*record.Latency) float64) func(*view.Row) block.Cell {
		return text(view.LatencyOf(of), units.Millis)
	}
	if kind == published.KindLatency {
		return []quantity{{published.LatencyAvg, "Avg", "ms", ms(view.LatMean)}, {published.LatencyMax, "Max", "ms", ms(view.LatMax)},
			{published.LatencyMin, "Min", "ms", ms(view.LatMin)}}
	}
	return []quantity{
		{published.TxRate, "Tx", "kpps", text(view.TxPPS, units.Kpps)},
		{published.RxRate, "Rx", "kpps", func(r *view.Row) block.Cell { return block.T(r.Received(view.RxPPS, units.Kpps).Text) }},
		{published.TxL2, "Tx", "Gbit/s", text(view.TxBPS, units.Gbps)},
		{published.RxL2, "Rx", "Gbit/s", func(r *view.Row) block.Cell { return block.T(r.Received(view.RxBPS, units.Gbps).Text) }},
		{published.GeneratorCPU, "Generator CPU", "%", text(view.Generator, units.Percent)},
	}
}

// text is the median alone.
func text(of view.Quantity, write units.Writer) func(*view.Row) block.Cell {
	return func(r *view.Row) block.Cell { return block.T(r.Cell(of, write).Text) }
}

// conditions lists those of a study that are reported.
func conditions(s *published.Study) (items []block.Item) {
	c := s.Conditions
	add := func(name, value string) { items = append(items, block.Item{Text: name + ": " + value}) }
	add("Hardware", c.Hardware)
	add("Tool", c.Tool)
	add("Traffic", c.Traffic)
	add("Bits/s", c.Gbps)
	for _, one := range []struct {
		name, unit string
		value      float64
	}{{"Payload", " bytes", float64(c.PayloadBytes)}, {"Sessions", "", float64(c.Sessions)},
		{"Duration", " s", c.DurationS}, {"Runs", "", float64(c.Repeats)}} {
		if one.value > 0 {
			add(one.name, plain(one.value)+one.unit)
		}
	}
	return items
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// label names a UPF that the run has not.
func label(m *published.Measurement) string {
	switch {
	case m.Driver == "":
		return m.DUT
	case m.Mode == "":
		return m.Driver
	}
	return m.Driver + ":" + m.Mode
}

func theirLoad(m *published.Measurement) string {
	if m.OfferedPPS == 0 {
		return ""
	}
	return units.Rate(m.OfferedPPS)
}

// what says what was measured, and under which conditions of its own.
func what(m *published.Measurement) string {
	parts := []string{m.Kind}
	for _, more := range []string{theirLoad(m), m.Conditions, m.Version} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return strings.Join(parts, ", ")
}

// figureOf is a figure as it was published.
func figureOf(m *published.Measurement, quantity string) string {
	for i := range m.Figures {
		if m.Figures[i].Quantity == quantity {
			return value(&m.Figures[i])
		}
	}
	return units.None
}

func value(f *published.Figure) string { return strings.TrimSpace(f.Qualifier + " " + plain(f.Value)) }

// figureList writes all figures of a measurement.
func figureList(m *published.Measurement) string {
	var parts []string
	for i := range m.Figures {
		f := &m.Figures[i]
		parts = append(parts, fmt.Sprintf("%s %s %s", strings.ReplaceAll(f.Quantity, "_", " "), value(f), f.Unit))
	}
	return strings.Join(parts, ", ")
}
