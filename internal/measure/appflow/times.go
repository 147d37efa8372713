package appflow

import (
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// times is the distribution of times; nil of none. Quantiles are by the nearest rank.
func times(all []time.Duration) *record.AppTime {
	if len(all) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(all))
	var sum time.Duration
	for _, d := range sorted {
		sum += d
	}
	const rounding = 1e-12 // 0.07 * 100 is more than 7
	at := func(q float64) uint64 {
		rank := int(math.Ceil(q * float64(len(sorted)) * (1 - rounding)))
		return uint64(sorted[max(rank, 1)-1])
	}
	return &record.AppTime{Min: uint64(sorted[0]), Mean: uint64(sum / time.Duration(len(sorted))), P50: at(0.5), P99: at(0.99),
		Max: uint64(sorted[len(sorted)-1]), Count: uint64(len(sorted))}
}

// variation is the mean difference of neighbours.
func variation(all []time.Duration) float64 {
	var sum time.Duration
	for i := 1; i < len(all); i++ {
		sum += (all[i] - all[i-1]).Abs()
	}
	return float64(sum) / float64(max(1, len(all)-1))
}
