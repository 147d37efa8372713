package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

const (
	// perDecade is how many rows of cells a tenfold of latency has.
	perDecade = 14
	// leastShare is the smallest share of packets that is drawn.
	leastShare = 1e-5
)

// Heat draws where the latencies lie at each load, from the histograms.
func Heat(v *view.Run) block.Section {
	f := block.Figure{ID: "heat", Title: "Where latencies lie", Shape: block.XY,
		Caption: "Each column is a load: the stronger the color, the more of its packets took so long. The lines are p50 and p99."}
	each(v, &f, heat)
	return figure(f)
}

func heat(s view.Sweep) (one block.View) {
	h := &block.Heat{Of: "share of the packets"}
	edges := columns(s.Points)
	for i, p := range s.Points {
		h.Cells = append(h.Cells, cells(p.Trials, edges[i], edges[i+1])...)
	}
	if len(h.Cells) == 0 {
		return one
	}
	p := block.Panel{X: loadAxis(), Y: latencyAxis("one-way latency"), Heat: h}
	p.Series = []block.Series{plainLine(s, "p50", "solid", view.P50), plainLine(s, "p99", "dashed", view.P99)}
	return block.View{Panels: []block.Panel{p}, Caption: saysHeat(s)}
}

func plainLine(s view.Sweep, name, line string, of func(*record.Latency) float64) block.Series {
	series := block.Series{Name: name, Color: "c1", Line: line}
	for _, q := range known(s, view.LatencyOf(of)) {
		series.Data = append(series.Data, block.Point{X: digits(q.pps), Y: digits(q.Value)})
	}
	return series
}

// columns are the edges of the columns: half way between loads.
func columns(points []view.SweepPoint) []float64 {
	n := len(points)
	if n == 1 {
		return []float64{0.9 * points[0].PPS, 1.1 * points[0].PPS}
	}
	edges := make([]float64, n+1)
	for i := 1; i < n; i++ {
		edges[i] = (points[i-1].PPS + points[i].PPS) / 2
	}
	edges[0] = max(0, points[0].PPS-(edges[1]-points[0].PPS))
	edges[n] = points[n-1].PPS + (points[n-1].PPS - edges[n-1])
	return edges
}

// cells sums the histograms of a load up in rows of equal height.
func cells(trials []*record.Trial, from, to float64) (list []block.HeatCell) {
	counts, total := map[int]uint64{}, uint64(0)
	for _, t := range trials {
		if t.Latency == nil {
			continue
		}
		for _, b := range t.Latency.Buckets {
			counts[int(math.Floor(perDecade*math.Log10(float64(max(b.UpTo, 1)))))] += b.Count
			total += b.Count
		}
	}
	for row, n := range counts {
		if share := float64(n) / float64(total); share >= leastShare {
			list = append(list, block.HeatCell{X: digits(from), ToX: digits(to), Y: digits(math.Pow(10, float64(row)/perDecade)),
				ToY: digits(math.Pow(10, float64(row+1)/perDecade)), Share: digits(share)})
		}
	}
	slices.SortFunc(list, func(a, b block.HeatCell) int { return cmp.Compare(a.Y, b.Y) })
	return list
}

// saysHeat compares the middle half of the packets at the lowest load with that where
// p50 is highest.
func saysHeat(s view.Sweep) string {
	low, high := known(s, view.LatencyOf(view.P50)), known(s, view.LatencyOf(view.P99))
	if len(low) == 0 || len(high) == 0 {
		return ""
	}
	first, top := low[0], low[0]
	for _, p := range low {
		if p.Value > top.Value {
			top = p
		}
	}
	if top.Value < rises*first.Value {
		return fmt.Sprintf("Half of the packets take %s at most at every load; one in a hundred takes over %s at %s.", units.Time(top.Value),
			units.Time(high[len(high)-1].Value), units.Rate(high[len(high)-1].pps))
	}
	return fmt.Sprintf("Half of the packets take %s at most at %s, and %s at %s.", units.Time(first.Value), units.Rate(first.pps),
		units.Time(top.Value), units.Rate(top.pps))
}
