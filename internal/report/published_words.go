package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/published"
)

// compared is a quantity that both have.
type compared struct {
	Quantity, Name string
	Ours           func(*row) string
}

// comparedQuantities are those of a kind, in the order of the studies' tables.
func comparedQuantities(kind string) []compared {
	if kind == published.KindLatency {
		return []compared{
			{published.LatencyAvg, "Avg, ms", func(r *row) string { return r.MeanMS.Text }},
			{published.LatencyMax, "Max, ms", func(r *row) string { return r.MaxMS.Text }},
			{published.LatencyMin, "Min, ms", func(r *row) string { return r.MinMS.Text }},
		}
	}
	return []compared{
		{published.TxRate, "Tx, kpps", func(r *row) string { return r.TxKpps.Text }},
		{published.RxRate, "Rx, kpps", func(r *row) string { return r.RxKpps.Text }},
		{published.TxL2, "Tx, Gbit/s", func(r *row) string { return r.TxGbps.Text }},
		{published.RxL2, "Rx, Gbit/s", func(r *row) string { return r.RxGbps.Text }},
		{published.GeneratorCPU, "Generator CPU, %", func(r *row) string { return r.Generator.Text }},
	}
}

func kindTitle(kind string) string {
	if kind == published.KindLatency {
		return "Latency"
	}
	return "Load"
}

// conditionFacts lists the conditions of a study; what is not told is left out.
func conditionFacts(s *published.Study) []fact {
	c := s.Conditions
	facts := []fact{{"Hardware", c.Hardware}, {"Tool", c.Tool}, {"Traffic", c.Traffic}, {"Bits/s", c.Gbps}}
	for _, one := range []struct {
		name, unit string
		value      float64
	}{{"Payload", " bytes", float64(c.PayloadBytes)}, {"Sessions", "", float64(c.Sessions)}, {"Duration", " s", c.DurationS}, {"Runs", "", float64(c.Repeats)}} {
		if one.value > 0 {
			facts = append(facts, fact{one.name, plainNumber(one.value) + one.unit})
		}
	}
	return facts
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// publishedLabel names a UPF that the result has not.
func publishedLabel(m *published.Measurement) string {
	if m.Driver == "" {
		return m.DUT
	}
	if m.Mode == "" {
		return m.Driver
	}
	return m.Driver + ":" + m.Mode
}

func theirLoad(m *published.Measurement) string {
	if m.OfferedPPS == 0 {
		return ""
	}
	return Rate(m.OfferedPPS)
}

// publishedWhat says what was measured, and under which conditions of its own.
func publishedWhat(m *published.Measurement) string {
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
			return figureValue(&m.Figures[i])
		}
	}
	return notMeasured
}

func figureValue(f *published.Figure) string {
	return strings.TrimSpace(f.Qualifier + " " + plainNumber(f.Value))
}

// figureList writes all figures of a measurement.
func figureList(m *published.Measurement) string {
	var parts []string
	for i := range m.Figures {
		f := &m.Figures[i]
		parts = append(parts, fmt.Sprintf("%s %s %s", strings.ReplaceAll(f.Quantity, "_", " "), figureValue(f), f.Unit))
	}
	return strings.Join(parts, ", ")
}
