package report

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// sideMetric is one figure of all UPFs, side by side.
type sideMetric struct {
	Name   string    `json:"name"`
	Short  string    `json:"-"` // name and unit, in 22 characters
	Unit   string    `json:"unit"`
	Panels []string  `json:"panels"` // directions, or one without a name
	Bars   []sideBar `json:"bars"`
}

// sideBar is that figure of one UPF.
type sideBar struct {
	DUT   int      `json:"dut"`
	Panel string   `json:"panel"`
	Value figure   `json:"value"` // in the unit of the metric
	Text  string   `json:"text"`
	Low   *figure  `json:"low,omitempty"` // of the span over repeats
	High  *figure  `json:"high,omitempty"`
	Span  string   `json:"span,omitempty"` // "2.61..2.80"
	Of    string   `json:"of,omitempty"`   // what the span is: "95 % interval of 6 repeats"
	Note  string   `json:"note,omitempty"` // what limited it, or what it rests on
	Bound bool     `json:"bound"`          // the figure is not the UPF's own limit
	Far   []string `json:"far,omitempty"`  // outliers among the repeats
}

// intervalLeast is how many repeats an interval of 95 % needs: of fewer the
// range is shown.
const intervalLeast = 6

// sideBySide gives the figures that UPFs are chosen by, where there are several.
func (v view) sideBySide() (all []sideMetric) {
	if len(v.DUTs) < 2 {
		return nil
	}
	for _, m := range []sideMetric{
		v.sideOf("Non-drop rate", "non-drop rate, Mpps", "Mpps", v.Directions, sideNDR),
		v.sideOf("Highest received rate", "received, Mpps", "Mpps", v.Directions, sideReceived),
		v.sideOf("CPU at that rate", "CPU, cores/Mpps", "cores/Mpps", v.Directions, sideCPU),
		v.sideOf("Latency p50", "latency p50, µs", "µs", v.Directions, v.sideLatency(latP50)),
		v.sideOf("Latency p99", "latency p99, µs", "µs", v.Directions, v.sideLatency(latP99)),
		v.sideOf("Memory", "memory, MiB", "MiB", []string{""}, sideMemory),
		v.sideOf("Sessions set up over PFCP", "sessions/s over PFCP", "sessions/s", []string{""}, sideSessions),
	} {
		if len(m.Bars) > 0 {
			all = append(all, m)
		}
	}
	return all
}

// sideOf asks of for each UPF and panel.
func (v view) sideOf(name, short, unit string, panels []string, of func(d dutView, panel string) (sideBar, bool)) sideMetric {
	m := sideMetric{Name: name, Short: short, Unit: unit, Panels: panels}
	for _, d := range v.DUTs {
		for _, panel := range panels {
			if b, found := of(d, panel); found {
				b.DUT, b.Panel = d.Index, panel
				m.Bars = append(m.Bars, b)
			}
		}
	}
	return m
}

// newBar is the median of a sample with its span; one value has none.
func newBar(sample []float64, write unit) (sideBar, bool) {
	s := statOf(sample)
	if s.N == 0 {
		return sideBar{}, false
	}
	b := sideBar{Value: newFigure(s.Median), Text: write(s.Median)}
	if s.N < 2 {
		return b, true
	}
	low, high := s.Min, s.Max
	b.Of = fmt.Sprintf("range of %d repeats", s.N)
	if s.N >= intervalLeast {
		const confidence, seed = 0.95, 1
		low, high = stats.MedianCI(sample, confidence, seed)
		b.Of = fmt.Sprintf("95 %% interval of %d repeats", s.N)
	}
	b.Low, b.High = known(low), known(high)
	if write(low) != write(high) {
		b.Span = write(low) + ".." + write(high)
	}
	for _, at := range stats.Outliers(sample) {
		b.Far = append(b.Far, write(sample[at]))
	}
	return b, true
}

// scaledSample takes a figure of the trials that count, in another unit.
func (g group) scaledSample(of func(*record.Trial) float64, factor float64) (sample []float64) {
	for _, t := range g.Used {
		if v := of(t) * factor; !math.IsNaN(v) && !math.IsInf(v, 0) {
			sample = append(sample, v)
		}
	}
	return sample
}
