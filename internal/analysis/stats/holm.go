package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts the p values of a family of tests so that each may be held
// against the same level and yet the chance of even one false alarm in the
// whole family stays below it (Holm, Scandinavian Journal of Statistics 6,
// 1979). It holds however the tests depend on each other. The order is kept.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = worst
	}
	return adjusted
}
