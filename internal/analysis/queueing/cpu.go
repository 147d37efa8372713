package queueing

import (
	"slices"

	"gonum.org/v1/gonum/interp"
)

// cpuCurve is CPU over load: a monotone cubic through the means of each load
// (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5, 1984), which has no bumps
// that were not measured.
type cpuCurve struct {
	from, to float64 // pps
	curve    interp.Predictor
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
	var curve interp.FritschButland
	if len(loads) < 2 || curve.Fit(loads, cores) != nil {
		return cpuCurve{}
	}
	return cpuCurve{loads[0], loads[len(loads)-1], &curve}
}

// at gives the cores at a load; 0 outside of what was measured.
func (c cpuCurve) at(pps float64) float64 {
	if c.curve == nil || pps < c.from || pps > c.to {
		return 0
	}
	return c.curve.Predict(pps)
}
