package coverage

import (
	"math"
	"math/rand/v2"

	"github.com/upflab/upflab/internal/analysis/changes"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/results/history"
)

// seldom are the false alarms of a gate that is asked each night: one in a hundred nights.
var seldom = promise{"≤ 1 % false", 0.99, 1, true}

// seldomOfNear is what docs/history.md says of nights that are strongly like the one before.
var seldomOfNear = promise{"≤ 3 % false", 0.97, 1, true}

// nights are values of one figure, night for night, as logarithms: a part of each is that of the one before.
func nights(rng *rand.Rand, n int, noise, again float64, heavy bool) (y []float64) {
	v := rng.NormFloat64()
	for range n {
		x := noise * v
		if heavy && rng.IntN(10) == 0 {
			x *= 4
		}
		y = append(y, x)
		v = again*v + math.Sqrt(1-again*again)*rng.NormFloat64()
	}
	return y
}

// alarmed asks the gate of the last five nights what a command asks it of each series, by its two public parts.
func alarmed(all [][]float64) bool {
	var p []float64
	for _, y := range all {
		p = append(p, changes.Lately(y, 5, 1e-6).P)
	}
	for _, adjusted := range stats.Holm(p) {
		if adjusted < history.Alarms {
			return true
		}
	}
	return false
}

func histories() (list []row) {
	for _, c := range []struct {
		under  string
		series int
		again  float64
		heavy  bool
		bad    bool // three nights of the last eight are 5 % worse
		times  int
		promise
	}{
		{"one series, 1 % of noise", 1, 0, false, false, 3000, seldom},
		{"20 series, 1 % of noise", 20, 0, false, false, 1000, seldom},
		{"20 series, AR 0.5", 20, 0.5, false, false, 1000, seldom},
		{"20 series, AR 0.8", 20, 0.8, false, false, 1000, seldomOfNear},
		{"20 series, one night in ten scatters four times as much", 20, 0, true, false, 1000, seldom},
		{"20 series, three nights in a row of the last eight 5 % worse in all", 20, 0, false, true, 500, rarely},
	} {
		list = append(list, row{
			about: "history", statement: "a night of --gate 5 is an alarm", under: c.under, promise: c.promise, times: c.times,
			try: func(rng *rand.Rand) answer {
				n, ago := 20+rng.IntN(60), rng.IntN(6)
				var all [][]float64
				for range c.series {
					y := nights(rng, n, 0.01, c.again, c.heavy)
					for i := range 3 {
						if c.bad {
							y[n-1-ago-i] += 0.05
						}
					}
					all = append(all, y)
				}
				if alarmed(all) {
					return wrong
				}
				return silent
			},
		})
	}
	return append(list, row{
		about: "history", statement: "a rise by 4 % is no alarm by its fifth night", under: "20 series, 1 % of noise", promise: promise{"≤ 20 % missed", 0.8, 1, true}, times: 500,
		try: func(rng *rand.Rand) answer {
			var all [][]float64
			for i := range 20 {
				y := nights(rng, 45, 0.01, 0, false)
				for n := range 5 {
					if i == 0 {
						y[40+n] += 0.04
					}
				}
				all = append(all, y)
			}
			if alarmed(all[:]) {
				return right
			}
			return wrong
		},
	})
}
