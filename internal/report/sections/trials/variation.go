package trials

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Variation is how delay varied in each trial, and how packets were lost and
// overtaken.
func Variation(v *view.Run) block.Section {
	all := slices.DeleteFunc(v.Verdicts(), func(t view.Verdict) bool { return t.PDV == nil })
	if len(all) == 0 {
		return block.Section{}
	}
	t := eachTrial(all, variationColumns(), func(t view.Verdict) []block.Cell { return block.Cells(variation(t.Trial)...) })
	return block.Section{Title: "Delay variation, runs of losses, order", Fold: true, Only: block.Pages, Blocks: []block.Block{t},
		Hint: "Latency has 95 % intervals of its quantiles, of this trial alone (not known: too few packets that do not depend on each " +
			"other). PDV: delay above the least one (≤: delays are known to 0.8 %, over a tenth of it, or packets that waited for a disturbance are in it). " +
			"IPDV: difference of the delays of two packets sent one after the other. Runs: packets of a session lost in a row. " +
			"Extent: by how many arrivals a reordered packet was late. CE marks: packets that were sent as ECT and arrived with the mark of congestion."}
}

func variationColumns() []block.Column {
	return []block.Column{block.Number("Latency p50", "µs"), block.Number("p99", "µs"), block.Number("p99.99", "µs"),
		block.Number("PDV p50", "µs"),
		block.Number("PDV p99", "µs"), block.Number("IPDV p50", "µs"), block.Number("IPDV p99", "µs"), block.Number("Jitter", "µs"),
		block.Number("Lost in runs", ""), block.Number("Mean run", ""), block.Number("Longest", ""), block.Number("Reordered", ""),
		block.Number("Extent p50", ""), block.Number("Extent max", ""), block.Number("Duplicates", ""), block.Number("CE marks", "")}
}

func variation(t *record.Trial) []string {
	cells := []string{units.None, units.None, units.None}
	if l := t.Latency; l != nil {
		cells = []string{interval(l, l.P50, l.P50Low, l.P50High), interval(l, l.P99, l.P99Low, l.P99High),
			interval(l, l.P9999, l.P9999Low, l.P9999High)}
	}
	for _, d := range []*record.Latency{t.PDV, t.IPDV} {
		if d == nil {
			cells = append(cells, units.None, units.None)
		} else {
			cells = append(cells, resolved(d, "p50", d.P50), resolved(d, "p99", d.P99))
		}
	}
	cells = append(cells, fmt.Sprintf("%.3g", t.JitterNS/1e3))
	return append(append(cells, lossRuns(t.LossRuns)...), order(t)...)
}

// resolved is a quantile of a delay variation, "≤ " before it where what measured it knows it
// to no more than a tenth, or packets that waited for a disturbance may be in it.
func resolved(l *record.Latency, name string, ns uint64) string {
	if l.AtMost(float64(ns)) || slices.Contains(l.Unresolved, name) {
		return "≤ " + inMicros(ns)
	}
	return inMicros(ns)
}

// interval is a quantile with its interval, and what kind of a bound it is.
func interval(l *record.Latency, value, low, high uint64) string {
	text := l.Sign(float64(value)) + inMicros(value)
	if low == 0 || high == 0 {
		return text + " (not known)"
	}
	return fmt.Sprintf("%s (%s..%s)", text, inMicros(low), inMicros(high))
}

func inMicros(ns uint64) string { return units.Micros(float64(ns)) }

func lossRuns(runs []record.LossRun) []string {
	if len(runs) == 0 {
		return []string{"0", units.None, units.None}
	}
	var n uint64
	for _, r := range runs {
		n += r.Count
	}
	return []string{units.Count(n), fmt.Sprintf("%.3g", record.MeanRun(runs)), units.Count(record.LongestRun(runs))}
}

// marks are those of congestion, of packets that could take one.
func marks(t *record.Trial) string {
	if t.ECN == "" {
		return units.None
	}
	return units.Count(t.CEMarked)
}

func order(t *record.Trial) []string {
	cells := []string{units.Count(t.Reordered), units.None, units.None, units.Count(t.Duplicates), marks(t)}
	if e := t.ReorderExtent; e != nil && e.Count > 0 {
		cells[1], cells[2] = units.Count(e.P50), units.Count(e.Max)
	}
	return cells
}
