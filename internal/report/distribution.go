package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// distribution is a latency as a chart draws it.
type distribution struct {
	Trial     int          `json:"trial"` // index into chartData.Distributions
	DUT       int          `json:"dut"`
	Direction string       `json:"direction"`
	Points    [][2]float64 `json:"points"` // ns, share of packets at most that slow
}

// pointsMax bounds the points of a curve: more cannot be seen. curvesMax bounds
// those of all curves together, which would be most of the file.
const (
	pointsMax   = 240
	curvesMax   = 12000
	pointsLeast = 40
)

// distributions gives the curves of all valid trials that kept a histogram:
// latency trials first, then loads.
func (v view) distributions() (names []string, curves []distribution) {
	for _, kind := range []string{record.KindLatency, record.KindLoad} {
		for _, load := range loadsOf(v.Result, kind) {
			found := v.curves(kind, load, len(names))
			if len(found) > 0 {
				names = append(names, distributionName(kind, load))
				curves = append(curves, found...)
			}
		}
	}
	most := min(pointsMax, max(pointsLeast, curvesMax/v.share/max(1, len(curves))))
	for i := range curves {
		curves[i].Points = thin(curves[i].Points, most)
	}
	return names, curves
}

func distributionName(kind, load string) string {
	if kind == record.KindLatency {
		return "latency trial, " + load
	}
	return "load trial, " + load
}

func (v view) curves(kind, load string, trial int) []distribution {
	var found []distribution
	for _, d := range v.DUTs {
		for _, direction := range v.Directions {
			r := d.row(kind, direction, load)
			if r == nil || !r.Valid {
				continue
			}
			if points := curve(r.group); len(points) > 1 {
				found = append(found, distribution{Trial: trial, DUT: d.Index, Direction: direction, Points: points})
			}
		}
	}
	return found
}

// curve sums the histograms of the repeats. The slowest packet stands at the
// share (n - 1/2) / n, since a share of 1 cannot be drawn by its rarity.
func curve(g group) [][2]float64 {
	least, buckets := sumBuckets(g)
	total := uint64(0)
	for _, b := range buckets {
		total += b.Count
	}
	if total == 0 {
		return nil
	}
	points := [][2]float64{{float64(max(least, 1)), 0}}
	below := uint64(0)
	for _, b := range buckets {
		below += b.Count
		share := min(float64(below), float64(total)-0.5) / float64(total)
		points = append(points, [2]float64{float64(max(b.UpTo, 1)), shareDigits(share)})
	}
	return points
}

func sumBuckets(g group) (least uint64, sum []record.Bucket) {
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

// shareDigits rounds a share so that four digits of what is above it are left.
func shareDigits(share float64) float64 {
	if share <= 0 || share >= 1 {
		return share
	}
	scale := math.Pow10(4 + int(-math.Log10(1-share)))
	if scale > 1e14 {
		return share
	}
	return math.Round(share*scale) / scale
}

// thin leaves every n-th point, and of the most that may be left a quarter for
// the end, whole, where the tail is.
func thin(points [][2]float64, most int) [][2]float64 {
	if len(points) <= most {
		return points
	}
	tail := len(points) - most/4
	step := (tail + most*3/4 - 1) / (most * 3 / 4)
	kept := make([][2]float64, 0, most)
	for i, p := range points {
		if i >= tail || i%step == 0 {
			kept = append(kept, p)
		}
	}
	return kept
}
