package queueing

import (
	"math"
	"math/rand/v2"
)

// permutations of the loads that the test draws.
const permutations = 2000

// structure is the probability of residuals that change as little from one load
// to the next as these do, if the loads came in random order: a permutation test
// of von Neumann's ratio (Annals of Mathematical Statistics 12, 1941). All
// quantities of one load move together, since they depend on each other.
func structure(loads []load, residuals []float64, seed uint64) float64 {
	rows := byLoad(loads, residuals)
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	measured := roughness(rows, order)
	r := rand.New(rand.NewPCG(seed, uint64(len(residuals))))
	smoother := 1
	for range permutations {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if roughness(rows, order) <= measured*(1+1e-12) {
			smoother++
		}
	}
	return float64(smoother) / (permutations + 1)
}

// byLoad gives one row a load: its residuals by observable; NaN not measured.
func byLoad(loads []load, residuals []float64) [][4]float64 {
	column := map[string]int{Mean: 0, P50: 0, P95: 1, P99: 2, Loss: 3}
	rows, at := make([][4]float64, len(loads)), 0
	for i, l := range loads {
		rows[i] = [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		for _, o := range l.observables {
			rows[i][column[o.name]] = residuals[at]
			at++
		}
	}
	return rows
}

// roughness sums the squared changes from each load to the next in an order.
func roughness(rows [][4]float64, order []int) float64 {
	sum := 0.0
	for i := 1; i < len(order); i++ {
		for c := range 4 {
			if d := rows[order[i]][c] - rows[order[i-1]][c]; !math.IsNaN(d) {
				sum += d * d
			}
		}
	}
	return sum
}
