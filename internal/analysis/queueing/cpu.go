package queueing

import (
	"math"
	"slices"
)

// cpuCurve is CPU over load: a monotone cubic through the means of each load
// (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5, 1984), which has no bumps
// that were not measured.
type cpuCurve struct {
	loads, cores []float64 // pps, rising
	slopes       []float64 // at each load, cores for a packet/s
}

func newCPUCurve(points []Point) cpuCurve {
	sums, counts := map[float64]float64{}, map[float64]float64{}
	var loads, cores []float64
	for _, p := range points {
		if p.CPUCores > 0 {
			if counts[p.offered()] == 0 {
				loads = append(loads, p.offered())
			}
			sums[p.offered()] += p.CPUCores
			counts[p.offered()]++
		}
	}
	slices.Sort(loads)
	for _, l := range loads {
		cores = append(cores, sums[l]/counts[l])
	}
	if len(loads) < 2 {
		return cpuCurve{}
	}
	return cpuCurve{loads, cores, monotoneSlopes(loads, cores)}
}

// monotoneSlopes are those at points through which a cubic rises or falls only where they do.
func monotoneSlopes(xs, ys []float64) []float64 {
	n := len(xs) - 1
	secant, slopes := make([]float64, n), make([]float64, n+1)
	for i := range n {
		secant[i] = (ys[i+1] - ys[i]) / (xs[i+1] - xs[i])
	}
	for i := 1; i < n; i++ {
		if before, after := xs[i]-xs[i-1], xs[i+1]-xs[i]; secant[i]*secant[i-1] > 0 {
			slopes[i] = 3 * (before + after) / ((before+2*after)/secant[i-1] + (2*before+after)/secant[i])
		}
	}
	slopes[0], slopes[n] = secant[0], secant[n-1]
	if n > 1 {
		slopes[0] = endSlope(xs[1]-xs[0], xs[2]-xs[1], secant[0], secant[1])
		slopes[n] = endSlope(xs[n]-xs[n-1], xs[n-1]-xs[n-2], secant[n-1], secant[n-2])
	}
	return slopes
}

// endSlope is that of the parabola through an end and the two points next to it, if the curve then
// turns nowhere that the points do not.
func endSlope(h, next, secant, inner float64) float64 {
	slope := ((2*h+next)*secant - h*inner) / (h + next)
	if slope*secant < 0 {
		return 0
	}
	if secant*inner < 0 && math.Abs(slope) > 3*math.Abs(secant) {
		return 3 * secant
	}
	return slope
}

// at gives the cores at a load; 0 outside of what was measured.
func (c cpuCurve) at(pps float64) float64 {
	n := len(c.loads)
	if n == 0 || pps < c.loads[0] || pps > c.loads[n-1] {
		return 0
	}
	i, _ := slices.BinarySearch(c.loads, pps)
	i = max(i-1, 0)
	h := c.loads[i+1] - c.loads[i]
	t := (pps - c.loads[i]) / h
	return c.cores[i]*(1+2*t)*(1-t)*(1-t) + c.slopes[i]*h*t*(1-t)*(1-t) + c.cores[i+1]*t*t*(3-2*t) + c.slopes[i+1]*h*t*t*(t-1)
}
