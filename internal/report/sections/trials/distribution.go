package trials

import (
	"cmp"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// pointsMax bounds the points of a curve: more cannot be seen. curvesMax bounds those
// of all curves together, which would be most of the page.
const (
	pointsMax   = 120
	curvesMax   = 6000
	pointsLeast = 40
)

// Distribution draws the latency of all valid trials that kept a histogram: latency
// trials first, then loads.
func Distribution(v *view.Run) block.Section {
	f := block.Figure{ID: "latency", Title: "Latency distribution", Shape: block.XY, Follow: "y", ViewOf: "Which trial", Only: block.HTML,
		Caption: "One way, from the intended send time. Further left is better; the slowest packets are at the top."}
	curves := 0
	for _, kind := range []record.Kind{record.KindLatency, record.KindLoad} {
		for _, load := range v.Loads(kind) {
			one := block.View{Name: string(kind) + " trial, " + load.String()}
			found := 0
			for _, direction := range v.Directions {
				p := distributionPanel(v, kind, direction, load)
				one.Panels, found = append(one.Panels, p), found+len(p.Series)
			}
			if found > 0 {
				f.Views, curves = append(f.Views, one), curves+found
			}
		}
	}
	most := min(pointsMax, max(pointsLeast, v.Points(curvesMax)/max(1, curves)))
	for _, one := range f.Views {
		for _, p := range one.Panels {
			for i := range p.Series {
				p.Series[i].Data = thin(p.Series[i].Data, most)
			}
		}
	}
	return figure(f)
}

func distributionPanel(v *view.Run, kind record.Kind, direction record.Direction, load record.Load) block.Panel {
	p := block.Panel{Title: string(direction), X: block.Axis{Label: "one-way latency", Unit: block.Nanos, Scale: block.Log},
		Y: block.Axis{Label: "percentile", Scale: block.Rarity}}
	for _, r := range v.Rows(kind, direction, load) {
		if points := curve(r.Group); r.Valid() && len(points) > 1 {
			p.Series = append(p.Series, block.Series{Name: r.UPF.Label, Color: r.UPF.Color(), Line: "solid", Data: points})
		}
	}
	return p
}

// curve sums the histograms of the repeats.
func curve(g view.Group) []block.Point { return view.Cumulative(sumBuckets(g)) }

func sumBuckets(g view.Group) (least uint64, sum []record.Bucket) {
	counts := map[uint64]uint64{}
	for _, t := range g.Used {
		if t.Latency == nil {
			continue
		}
		if least == 0 || t.Latency.Min < least {
			least = t.Latency.Min
		}
		for _, b := range t.Latency.Buckets {
			counts[b.UpTo] += b.Count
		}
	}
	for bound, n := range counts {
		sum = append(sum, record.Bucket{UpTo: bound, Count: n})
	}
	slices.SortFunc(sum, func(a, b record.Bucket) int { return cmp.Compare(a.UpTo, b.UpTo) })
	return least, sum
}

// thin leaves every n-th point, and of the most that may be left a quarter for the
// end, whole, where the tail is.
func thin(points []block.Point, most int) []block.Point {
	if len(points) <= most {
		return points
	}
	tail := len(points) - most/4
	step := (tail + most*3/4 - 1) / (most * 3 / 4)
	kept := make([]block.Point, 0, most)
	for i, p := range points {
		if i >= tail || i%step == 0 {
			kept = append(kept, p)
		}
	}
	return kept
}
