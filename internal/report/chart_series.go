package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// seriesChart is what is drawn over time: names of trials, and for each the
// DUTs' lines.
type seriesChart struct {
	Names []string     `json:"names"`
	Start int          `json:"start"` // the one to show first
	Lines []seriesLine `json:"lines"`
}

// seriesLine is one trial over time. A point is the time in s, packets/s sent
// and received, p50 and p99 in ns (0: nothing arrived) and cores of the DUT.
type seriesLine struct {
	Trial  int         `json:"trial"` // index into Names
	DUT    int         `json:"dut"`
	Valid  bool        `json:"valid"`
	Points [][6]figure `json:"points"`
}

const (
	// seriesPointsMax bounds the points of all lines together, about 40 bytes
	// each in the page.
	seriesPointsMax = 6000
	// linePointsMax and linePointsLeast are those of one line.
	linePointsMax   = 120
	linePointsLeast = 15
)

// series draws the trials of all repeats while that leaves each enough points,
// then only the first of each that counts.
func (v view) series() seriesChart {
	var c seriesChart
	rows := v.seriesRows()
	lines := 0
	for _, r := range rows {
		lines += len(withSeries(r.group.All))
	}
	most := seriesPointsMax / v.share
	all := lines*linePointsLeast <= most
	if !all {
		lines = len(rows)
	}
	each := min(linePointsMax, max(linePointsLeast, most/max(1, lines)))
	for _, r := range rows {
		c.add(v, r, all, each)
	}
	c.Start = c.start(v)
	return c
}

// seriesRows lists what has a trial over time.
func (v view) seriesRows() []row {
	var rows []row
	for _, kind := range []string{record.KindLoad, record.KindLatency} {
		for _, direction := range v.Directions {
			for _, load := range loadsOf(v.Result, kind) {
				for _, r := range v.rows(kind, direction, load) {
					if len(withSeries(r.group.All)) > 0 {
						rows = append(rows, r)
					}
				}
			}
		}
	}
	return rows
}

func withSeries(trials []*record.Trial) []*record.Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t *record.Trial) bool { return len(t.Series) < 2 })
}

func (c *seriesChart) add(v view, r row, all bool, points int) {
	trials := withSeries(r.group.Used)
	if all {
		trials = withSeries(r.group.All)
	}
	for _, t := range trials {
		name := r.Direction + " " + r.name()
		if all && v.Repeated {
			name += fmt.Sprintf(", repeat %d", t.Repeat)
		}
		c.Lines = append(c.Lines, seriesLine{Trial: c.index(name), DUT: v.index(r.DUT), Valid: t.Valid, Points: linePoints(t.Series, points)})
		if !all {
			return
		}
	}
}

func (c *seriesChart) index(name string) int {
	if at := slices.Index(c.Names, name); at >= 0 {
		return at
	}
	c.Names = append(c.Names, name)
	return len(c.Names) - 1
}

func (v view) index(label string) int {
	return slices.IndexFunc(v.DUTs, func(d dutView) bool { return d.Label == label })
}

// start is the highest load of the first direction.
func (c *seriesChart) start(v view) int {
	if len(v.Loads) == 0 || len(v.Directions) == 0 {
		return 0
	}
	name := v.Directions[0] + " " + v.Loads[len(v.Loads)-1]
	return max(0, slices.Index(c.Names, name), slices.Index(c.Names, name+", repeat 1"))
}

// linePoints joins neighbours so that at most n are left: rates, medians and
// cores by their mean, p99 by the worst.
func linePoints(series []record.Point, n int) [][6]figure {
	step := (len(series) + n - 1) / n
	var points [][6]figure
	for chunk := range slices.Chunk(series, step) {
		points = append(points, joined(chunk))
	}
	return points
}

func joined(chunk []record.Point) [6]figure {
	var sum record.Point
	n, worst, arrived := float64(len(chunk)), uint64(0), 0.0
	p50 := 0.0
	for _, p := range chunk {
		sum.TxPPS += p.TxPPS / n
		sum.RxPPS += p.RxPPS / n
		sum.DUTCores += p.DUTCores / n
		worst = max(worst, p.P99)
		if p.P50 > 0 {
			p50, arrived = p50+float64(p.P50), arrived+1
		}
	}
	return [6]figure{
		figureTo(chunk[len(chunk)-1].T, 2), rounded(sum.TxPPS), rounded(sum.RxPPS),
		rounded(p50 / max(1, arrived)), figure(worst), figureTo(sum.DUTCores, 3),
	}
}

// rounded writes whole numbers: a packet/s or a ns more cannot be seen.
func rounded(v float64) figure { return figureTo(v, 0) }

func figureTo(v float64, digits int) figure {
	scale := math.Pow10(digits)
	return newFigure(math.Round(v*scale) / scale)
}
