package changes

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// Least is the number of values below which nothing can be said.
const Least = 6

// shortest is the least length of a segment: one value alone is an outlier.
const shortest = 3

// Segment is values [From, To) that have one level.
type Segment struct {
	From, To int
	Level    float64 // their mean, outliers clipped
}

// Division is what became of a series.
type Division struct {
	Segments []Segment // in order, without gaps; none of an empty series
	// Noise is the standard deviation of a value about its level; 0 of fewer than Least
	// values.
	Noise float64
}

// Find divides a series. Floor is the least standard deviation that is believed, the
// resolution of the values; 0: none. Values are finite.
func Find(y []float64, floor float64) Division {
	if len(y) == 0 {
		return Division{}
	}
	if len(y) < Least {
		return Division{Segments: []Segment{segment(y, 0, len(y))}}
	}
	rough := max(successiveNoise(y), floor, math.SmallestNonzeroFloat32) // of equal values any difference is a change
	clipped, wider := clip(y, rough), longRun(autocorrelation(y))
	cuts, noise := significant(y, clipped, divide(clipped, wider*rough), max(rough/2, floor), wider)
	d := Division{Noise: noise}
	for i := 1; i < len(cuts); i++ {
		d.Segments = append(d.Segments, segment(clipped, cuts[i-1], cuts[i]))
	}
	return d
}

func segment(y []float64, from, to int) Segment {
	return Segment{From: from, To: to, Level: mean(y[from:to])}
}

func mean(y []float64) (m float64) {
	for _, v := range y {
		m += v / float64(len(y))
	}
	return m
}

// divide gives the borders of the best division, 0 and len(y) among them. It takes a border
// for half of what that costs in the end: the noise may be less than it seems.
func divide(y []float64, noise float64) []int {
	n := len(y)
	sums, squares, halfLog := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	origin := stats.Median(y) // keeps the squares small
	for i, v := range y {
		v = (v - origin) / noise
		sums[i+1], squares[i+1] = sums[i]+v, squares[i]+v*v
		halfLog[i+1] = math.Log(float64(i+1)) / 2
	}
	borders := make([]float64, n) // by where they are
	for at := 1; at < n; at++ {
		borders[at] = price(n, n-at) / 2
	}
	best, from := make([]float64, n+1), make([]int, n+1)
	for to := 1; to <= n; to++ {
		best[to] = math.Inf(1)
		for start := 0; start <= to-shortest; start++ {
			length, sum := to-start, sums[to]-sums[start]
			nats := (squares[to]-squares[start]-sum*sum/float64(length))/2 + halfLog[length]
			if start > 0 {
				nats += best[start] + borders[start]
			}
			if nats < best[to] {
				best[to], from[to] = nats, start
			}
		}
	}
	cuts := []int{n}
	for at := n; at > 0; at = from[at] {
		cuts = append(cuts, from[at])
	}
	slices.Reverse(cuts)
	return cuts
}

// young is the age, in values, up to which a border is new.
const young = 8

// price is what it takes to say that a border is so old, in values, of n values, nats:
// log(n), as if a month had passed from the start, and by its age: new borders have the
// short codes. Somebody who looks after each night looks for a new one, and has looked for
// the older ones before. What each costs makes about one false alarm in 100 nights, by
// simulation (simulation_test.go).
func price(n, age int) float64 {
	const month, first, newer, older = 30, 0.7, -1.0, 1.0
	nats := math.Log(max(float64(n), month))
	if n < month { // the noise is hardly known
		nats += first * float64(month-n) / month
	}
	if age <= young {
		return nats + newer
	}
	return nats + older
}

// significant leaves the borders out that are none by Student's t, which knows that the
// noise is an estimate: one at a time, the weakest first, after which the noise is
// estimated again. It is at least the noise given. That of a level is wider, since the values
// of neighbours repeat each other.
func significant(y, clipped []float64, cuts []int, least, wider float64) ([]int, float64) {
	for {
		noise := max(noiseWithin(y, clipped, cuts), least)
		weakest, lowest := 0, 0.0
		freedom := float64(len(y) - len(cuts) + 1)
		for i := 1; i < len(cuts)-1; i++ {
			if e := excess(clipped, cuts[i-1], cuts[i], cuts[i+1], wider*noise, freedom); e < lowest {
				weakest, lowest = i, e
			}
		}
		if weakest == 0 {
			return cuts, noise
		}
		cuts = slices.Delete(cuts, weakest, weakest+1)
	}
}

// excess is by how much a border shortens the description more than it costs, nats.
func excess(y []float64, a, border, b int, noise, freedom float64) float64 {
	left, right := float64(border-a), float64(b-border)
	t := (mean(y[border:b]) - mean(y[a:border])) / noise / math.Sqrt(1/left+1/right)
	gain := freedom / 2 * math.Log1p(t*t/freedom)
	return gain - price(len(y), len(y)-border) - math.Log(left*right/(left+right))/2
}
