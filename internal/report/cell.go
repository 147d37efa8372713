package report

import (
	"math"
	"strings"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// stat sums up one figure over the repeats of a trial.
type stat struct {
	Median, Min, Max float64
	N                int
}

// unknown is a figure nobody measured.
func unknown() stat { return stat{Median: math.NaN(), Min: math.NaN(), Max: math.NaN()} }

// statOf leaves out what was not measured.
func statOf(sample []float64) stat {
	known := make([]float64, 0, len(sample))
	for _, v := range sample {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			known = append(known, v)
		}
	}
	lo, hi := stats.MinMax(known)
	return stat{Median: stats.Median(known), Min: lo, Max: hi, N: len(known)}
}

// cell is a figure as written: the median, and the range where repeats differ.
type cell struct {
	Text  string
	Range string // "2.40..2.52" over repeats, "" when they are written alike
	Note  string // what must be known of it, "" for nothing
}

func (s stat) cell(write unit) cell {
	c := cell{Text: write(s.Median)}
	if lo, hi := write(s.Min), write(s.Max); s.N > 1 && lo != hi {
		c.Range = lo + ".." + hi
	}
	return c
}

// span gives the range, or the one figure that all repeats have.
func (c cell) span() string {
	if c.Range == "" {
		return "always " + strings.TrimPrefix(c.Text, "≥ ")
	}
	return c.Range
}

// quantity is a figure and its unit.
type quantity struct{ Text, Unit string }

// With gives the median with its unit, which a figure nobody measured has not.
func (c cell) With(unit string) quantity {
	if c.Text == notMeasured {
		unit = ""
	}
	return quantity{c.Text, unit}
}

// String gives both on one line.
func (c cell) String() string {
	text := c.Text
	for _, more := range []string{c.Range, c.Note} {
		if more != "" {
			text += " (" + more + ")"
		}
	}
	return text
}
