package trials

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

const (
	// seriesPointsMax bounds the points of all trials together, about 110 bytes each in
	// the page.
	seriesPointsMax = 3000
	// linePointsMax and linePointsLeast are those of one trial.
	linePointsMax   = 120
	linePointsLeast = 15
)

// OverTime draws one trial over time: rates, latency and CPU.
func OverTime(v *view.Run) block.Section {
	f := block.Figure{ID: "time", Title: "Over time", Shape: block.XY, Follow: "x", ViewOf: "Which trial", Only: block.HTML,
		Caption: "One trial, a point each 100 ms or the mean of several; of p99 the worst. In a gap nothing arrived."}
	rows := timedRows(v)
	all, each := timedPoints(v, rows)
	for _, r := range rows {
		for _, t := range timed(r, all) {
			name := string(r.Direction) + " " + r.Name()
			if all && v.Repeated {
				name += fmt.Sprintf(", repeat %d", t.Repeat)
			}
			addTrial(&f, name, r, t, each)
		}
	}
	f.Start = startView(v, f)
	return figure(f)
}

// timedRows lists what has a trial over time.
func timedRows(v *view.Run) (rows []*view.Row) {
	for _, kind := range []record.Kind{record.KindLoad, record.KindLatency} {
		for _, direction := range v.Directions {
			for _, r := range v.AllRows(kind, direction) {
				if len(timed(r, true)) > 0 {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// timedPoints says whether all repeats are drawn, or only the first of each that
// counts, and how many points a trial has.
func timedPoints(v *view.Run, rows []*view.Row) (all bool, each int) {
	trials := 0
	for _, r := range rows {
		trials += len(timed(r, true))
	}
	most := v.Points(seriesPointsMax)
	if all = trials*linePointsLeast <= most; !all {
		trials = len(rows)
	}
	return all, min(linePointsMax, max(linePointsLeast, most/max(1, trials)))
}

// timed are the trials of a row that are drawn.
func timed(r *view.Row, all bool) []*record.Trial {
	trials := r.Used
	if all {
		trials = r.All
	}
	trials = slices.DeleteFunc(slices.Clone(trials), func(t *record.Trial) bool { return len(t.Series) < 2 })
	if !all {
		return trials[:min(1, len(trials))]
	}
	return trials
}

// addTrial puts the lines of a trial into the view of its name.
func addTrial(f *block.Figure, name string, r *view.Row, t *record.Trial, points int) {
	at := slices.IndexFunc(f.Views, func(one block.View) bool { return one.Name == name })
	if at < 0 {
		at = len(f.Views)
		f.Views = append(f.Views, block.View{Name: name, Panels: timePanels()})
	}
	panels := f.Views[at].Panels
	add := func(panel int, line string, of func(record.Point) float64) {
		s := block.Series{Name: r.UPF.Label, Color: r.UPF.Color(), Line: line, Bad: !t.Valid}
		for _, p := range join(t.Series, points) {
			point := block.Point{X: round(p.T, 2), Y: of(p)}
			if len(panels[panel].Tip) > 0 {
				point.More = []any{orGap(p.P50)}
			}
			s.Data = append(s.Data, point)
		}
		panels[panel].Series = append(panels[panel].Series, s)
	}
	add(0, "thin dashed", func(p record.Point) float64 { return math.Round(p.TxPPS) })
	add(0, "solid", func(p record.Point) float64 { return math.Round(p.RxPPS) })
	add(1, "solid", func(p record.Point) float64 { return orGap(p.P99) })
	add(2, "solid", func(p record.Point) float64 { return round(p.DUTCores, 3) })
}

func timePanels() []block.Panel {
	x := block.Axis{Label: "time from the first packet", Unit: block.Seconds}
	return []block.Panel{
		{Title: "Sent (dashed) and received", X: x, Y: block.Axis{Label: "packets/s", Unit: block.PPS}},
		{Title: "Latency p99", X: x, Y: block.Axis{Label: "one-way latency", Unit: block.Nanos, Scale: block.Log},
			Tip: []block.Field{{Name: "p50", Unit: block.Nanos}}},
		{Title: "CPU of the UPF", X: x, Y: block.Axis{Label: "cores", Unit: block.Cores, Least: 1}},
	}
}

// startView is the highest load of the first direction.
func startView(v *view.Run, f block.Figure) int {
	loads := v.Loads(record.KindLoad)
	if len(loads) == 0 || len(v.Directions) == 0 {
		return 0
	}
	name := string(v.Directions[0]) + " " + loads[len(loads)-1].String()
	return max(0, slices.IndexFunc(f.Views, func(one block.View) bool { return one.Name == name || one.Name == name+", repeat 1" }))
}

// join makes one point of neighbours so that at most n are left: rates, medians and
// cores by their mean, p99 by the worst.
func join(series []record.Point, n int) (points []record.Point) {
	step := (len(series) + n - 1) / n
	for chunk := range slices.Chunk(series, step) {
		sum := record.Point{T: chunk[len(chunk)-1].T}
		n, p50, arrived := float64(len(chunk)), 0.0, 0.0
		for _, p := range chunk {
			if p.P50 > 0 {
				p50, arrived = p50+float64(p.P50), arrived+1
			}
			sum.TxPPS += p.TxPPS / n
			sum.RxPPS += p.RxPPS / n
			sum.DUTCores += p.DUTCores / n
			sum.P99 = max(sum.P99, p.P99)
		}
		sum.P50 = uint64(math.Round(p50 / max(1, arrived)))
		points = append(points, sum)
	}
	return points
}

// orGap makes a gap where nothing arrived.
func orGap(ns uint64) float64 {
	if ns == 0 {
		return math.NaN()
	}
	return float64(ns)
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}
