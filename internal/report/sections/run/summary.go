package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// metric is one figure of all UPFs.
type metric struct {
	Name, Unit string
	Directed   bool // it is one for each direction
	Of         func(d *view.UPF, direction record.Direction) (bar, bool)
}

// bar is that figure of one UPF.
type bar struct {
	block.Span
	interval bool   // RangeOf is a confidence interval
	sign     string // of a latency that is a bound, view.Row.LatencySign
}

// metrics are the figures that UPFs are chosen by, in the order in which people ask for them. One that
// rests on too little is left out.
func metrics(v *view.Run) []metric {
	return []metric{
		{"Non-drop rate", "Mpps", true, barNDR},
		{"Highest received rate", "Mpps", true, barReceived},
		{"Frame loss at that rate", "%", true, barLoss},
		{"Latency p50", "µs", true, barLatency(view.P50)},
		{"Latency p99", "µs", true, barLatency(view.P99)},
		{"CPU at highest rate", "cores/Mpps", true, barCPU},
		{"UPF CPU per packet, net of wire", "ns", true, barOwnCost(v)},
		{"UPF-only ceiling per core", "Mpps", true, barOwnRate(v)},
		{"Memory", "MiB", false, barMemory},
		{"Sessions set up over PFCP", "sessions/s", false, barSessions},
	}
}

// line is a metric in one direction, by UPF.
type line struct {
	metric
	Direction record.Direction // "": of none
	Bars      []*bar           // nil: not measured
}

func (l line) title() string {
	if l.Direction == "" {
		return l.Name
	}
	return l.Name + ", " + string(l.Direction)
}

// Summary sets the UPFs side by side, where there are several.
func Summary(v *view.Run) block.Section {
	lines := summaryLines(v)
	if len(lines) == 0 {
		return block.Section{}
	}
	words := strings.TrimSpace(latencySigns(lines) + spans(lines))
	s := block.Section{Title: "Side by side", Hint: strings.TrimSpace("≥: something other than the UPF limited it. " + words),
		Blocks: []block.Block{summaryTable(v, lines)}}
	if words != "" { // a terminal has no hints, and the other sign with its answers
		s.Blocks = append(s.Blocks, block.Note{Tone: block.Muted, Text: words, Only: block.Text})
	}
	return s
}

// summaryLines are empty where there is nothing to set side by side.
func summaryLines(v *view.Run) (lines []line) {
	if len(v.UPFs) < 2 || len(v.Sizes) > 0 || v.Applied() {
		return nil
	}
	for _, m := range metrics(v) {
		directions := v.Directions
		if !m.Directed {
			directions = []record.Direction{""}
		}
		for _, direction := range directions {
			l, some := line{metric: m, Direction: direction, Bars: make([]*bar, len(v.UPFs))}, false
			for i, d := range v.UPFs {
				if b, known := m.Of(d, direction); known {
					l.Bars[i], some = &b, true
				}
			}
			if some {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

func summaryTable(v *view.Run, lines []line) block.Table {
	t := block.Table{Columns: []block.Column{block.Key("")}}
	for _, d := range v.UPFs {
		t.Columns = append(t.Columns, block.Column{Head: d.Label})
	}
	for _, l := range lines {
		cells := []block.Cell{block.T(l.title() + ", " + l.Unit)}
		for _, b := range l.Bars {
			cells = append(cells, b.cell())
		}
		t.Rows = append(t.Rows, block.Row{Cells: cells})
	}
	return t
}

// cell writes a bar; a terminal has room for the value alone.
func (b *bar) cell() block.Cell {
	if b == nil {
		return block.T(units.None)
	}
	return block.Cell{Text: b.Text, Short: b.Text, Range: b.Range, Note: b.Note}
}

// newBar is the median of a sample with its span; one value has none.
func newBar(sample []float64, write units.Writer) (bar, bool) {
	s := view.StatOf(sample)
	if s.N == 0 {
		return bar{}, false
	}
	b := bar{Span: block.Span{Value: block.Num(s.Median), Text: write(s.Median)}}
	if s.N < 2 {
		return b, true
	}
	low, high := s.Min, s.Max
	b.RangeOf = fmt.Sprintf("range of %d repeats", s.N)
	if b.interval = s.N >= intervalLeast; b.interval {
		low, high = stats.MedianCI(sample, stats.Confidence)
		b.RangeOf = fmt.Sprintf("95 %% interval of %d repeats", s.N)
	}
	b.Low, b.High = block.Known(low), block.Known(high)
	if write(low) != write(high) {
		b.Range = write(low) + ".." + write(high)
	}
	for _, at := range stats.Outliers(sample) {
		b.Far = append(b.Far, block.Num(sample[at]))
	}
	return b, true
}

// note says what a bar is, with the outliers among its repeats.
func (b *bar) note(text string, write units.Writer) {
	b.Note = text
	if len(b.Far) == 0 {
		return
	}
	var far []string
	for _, v := range b.Far {
		far = append(far, write(float64(v)))
	}
	b.Note += "; outliers: " + strings.Join(far, ", ")
}

// intervalLeast is how many repeats an interval of 95 % needs: of fewer the range is
// shown.
const intervalLeast = 6

// latencySigns says what the signs before latencies mean, of those that there are.
func latencySigns(lines []line) (words string) {
	for _, one := range []struct{ sign, why string }{
		{"≤ ", "disturbances of the machine may be in it"},
		{"≥ ", record.NeverSent},
		{"~ ", "disturbances of the machine may be in it, and " + record.NeverSent},
	} {
		has := func(b *bar) bool { return b != nil && b.sign == one.sign }
		if slices.ContainsFunc(lines, func(l line) bool { return slices.ContainsFunc(l.Bars, has) }) {
			words += one.sign + "of a latency: " + one.why + ". "
		}
	}
	return words
}

// spans says what the spans are; "" where there are none.
func spans(lines []line) string {
	var interval, ranges bool
	for _, l := range lines {
		for _, b := range l.Bars {
			if b != nil && b.RangeOf != "" {
				interval, ranges = interval || b.interval, ranges || !b.interval
			}
		}
	}
	switch {
	case interval && ranges:
		return fmt.Sprintf("Medians over repeats with their 95 %% interval, of fewer than %d repeats with their range.", intervalLeast)
	case interval:
		return "Medians over repeats with their 95 % interval."
	case ranges:
		return fmt.Sprintf("Medians over repeats with their range: an interval needs %d.", intervalLeast)
	}
	return ""
}
