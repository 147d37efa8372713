package view

import (
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// Stat sums up one figure over the repeats of a trial.
type Stat struct {
	Median, Min, Max float64
	N                int
}

// Unknown is a figure that was not measured.
func Unknown() Stat { return Stat{Median: math.NaN(), Min: math.NaN(), Max: math.NaN()} }

// StatOf leaves out what was not measured.
func StatOf(sample []float64) Stat {
	known := make([]float64, 0, len(sample))
	for _, v := range sample {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			known = append(known, v)
		}
	}
	lo, hi := stats.MinMax(known)
	return Stat{Median: stats.Median(known), Min: lo, Max: hi, N: len(known)}
}

// Cell is the figure as written: the median, and the range where repeats differ.
func (s Stat) Cell(write units.Writer) block.Cell {
	c := block.Cell{Text: write(s.Median)}
	if lo, hi := write(s.Min), write(s.Max); s.N > 1 && lo != hi {
		c.Range = lo + ".." + hi
	}
	return c
}

// AtLeast puts the sign of a lower bound before a figure.
func AtLeast(bound bool, text string) string {
	if !bound || text == units.None {
		return text
	}
	return "≥ " + text
}
