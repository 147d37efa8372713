package report

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

// variationHeads name the cells of a row of variations.
func variationHeads() []string {
	return []string{"Latency p50 (µs)", "p99 (µs)", "p99.99 (µs)", "PDV p50 (µs)", "PDV p99 (µs)", "IPDV p50 (µs)", "IPDV p99 (µs)", "Jitter (µs)",
		"Lost in runs", "Mean run", "Longest", "Reordered", "Extent p50", "Extent max", "Duplicates"}
}

// variations lists the trials that tell how delay varied, and how packets were lost
// and overtaken.
func (v view) variations() []evidenceRow {
	var rows []evidenceRow
	for _, one := range v.verdicts() {
		if one.PDV != nil {
			rows = append(rows, evidenceRow{DUT: one.DUT, Color: one.Color, Name: one.name(), Repeat: one.Repeat, Cells: variationCells(one.Trial)})
		}
	}
	return rows
}

func variationCells(t *record.Trial) []string {
	cells := make([]string, 0, len(variationHeads()))
	if l := t.Latency; l != nil {
		cells = append(cells, interval(l.P50, l.P50Low, l.P50High), interval(l.P99, l.P99Low, l.P99High), interval(l.P9999, l.P9999Low, l.P9999High))
	} else {
		cells = append(cells, notMeasured, notMeasured, notMeasured)
	}
	for _, d := range []*record.Latency{t.PDV, t.IPDV} {
		if d == nil {
			cells = append(cells, notMeasured, notMeasured)
			continue
		}
		cells = append(cells, inMicroseconds(d.P50), inMicroseconds(d.P99))
	}
	cells = append(cells, fmt.Sprintf("%.3g", t.JitterNS/1e3))
	return append(append(cells, runCells(t.LossRuns)...), orderCells(t)...)
}

// interval is a quantile with the bounds of its interval; "?": too few packets for
// that bound.
func interval(value, low, high uint64) string {
	bound := func(ns uint64) string {
		if ns == 0 {
			return "?"
		}
		return inMicroseconds(ns)
	}
	return fmt.Sprintf("%s (%s..%s)", inMicroseconds(value), bound(low), bound(high))
}

func inMicroseconds(ns uint64) string { return fmt.Sprintf("%.4g", float64(ns)/1e3) }

func runCells(runs []record.LossRun) []string {
	if len(runs) == 0 {
		return []string{"0", notMeasured, notMeasured}
	}
	var n uint64
	for _, r := range runs {
		n += r.Count
	}
	return []string{count(n), fmt.Sprintf("%.3g", record.MeanRun(runs)), count(record.LongestRun(runs))}
}

func orderCells(t *record.Trial) []string {
	cells := []string{count(t.Reordered), notMeasured, notMeasured, count(t.Duplicates)}
	if e := t.ReorderExtent; e != nil && e.Count > 0 {
		cells[1], cells[2] = count(e.P50), count(e.Max)
	}
	return cells
}

// variationNote says what the table's columns are.
const variationNote = "Latency has 95 % intervals of its quantiles (\"?\": too few packets to bound it). PDV: delay above the least one. " +
	"IPDV: difference of the delays of two packets sent one after the other. Runs: packets of a session lost in a row. " +
	"Extent: by how many arrivals a reordered packet was late."
