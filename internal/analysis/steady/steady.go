// Package steady finds where a measurement has warmed up. It is pure.
//
// The rule is MSER-5 (White, Cobb and Spratt, "A Comparison of Five Steady-State
// Truncation Heuristics for Simulation", Winter Simulation Conference 2000,
// after White, Simulation 69, 1997): means of five values are taken, and the cut
// is where the standard error of the mean of what remains is least. It weighs
// what the warm-up adds to the scatter against the values that a cut loses.
package steady

import (
	"errors"
	"fmt"
	"math"
)

// Batch is how many values one mean is of: the 5 in MSER-5.
const Batch = 5

// MinBatches is the least number of means for a cut: with fewer their scatter is
// unknown.
const MinBatches = 10

// What Cut refuses.
var (
	ErrFew      = errors.New("too few values to find the warm-up")
	ErrValue    = errors.New("not a finite value")
	ErrNoSteady = errors.New("no steady state")
)

// Warmup is what Cut found.
type Warmup struct {
	// Values is how many values to leave out at the start, a multiple of Batch.
	Values int
	// Mean and StandardError are of the values that remain, but for the last ones
	// that fill no batch, in their unit.
	Mean, StandardError float64
}

// Cut finds the warm-up of a series, any unit, at equal steps of time: latencies
// per window, throughput per sample. ErrNoSteady means that the best cut is in
// the second half, so that what remains has not settled either: measure longer.
// ErrFew asks for MinBatches times Batch values.
func Cut(series []float64) (Warmup, error) {
	for i, v := range series {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Warmup{}, fmt.Errorf("%w: value %d is %v", ErrValue, i, v)
		}
	}
	means := batchMeans(series)
	if len(means) < MinBatches {
		return Warmup{}, fmt.Errorf("%w: %d values, and %d are needed; measure longer", ErrFew, len(series), MinBatches*Batch)
	}
	w := best(means)
	if w.Values/Batch > len(means)/2 {
		return w, fmt.Errorf("%w in %d values: they still change at the end; measure longer", ErrNoSteady, len(series))
	}
	return w, nil
}

// batchMeans leaves out the last values that fill no batch.
func batchMeans(series []float64) []float64 {
	var means []float64
	for ; len(series) >= Batch; series = series[Batch:] {
		sum := 0.0
		for _, v := range series[:Batch] {
			sum += v / Batch
		}
		means = append(means, sum)
	}
	return means
}

// best is the cut with the least MSER, the sum of squared deviations over the
// square of their number; the earliest of equals. It goes from the end, so that
// each cut adds one mean to the sums of the next (Welford, Technometrics 4,
// 1962). The last MinBatches/2 are never cut into: few means are close to each
// other by chance.
func best(means []float64) Warmup {
	var found Warmup
	least := math.Inf(1)
	mean, squares, n := 0.0, 0.0, 0.0
	for i := len(means) - 1; i >= 0; i-- {
		n++
		delta := means[i] - mean
		mean += delta / n
		squares += delta * (means[i] - mean)
		if mser := squares / (n * n); n >= MinBatches/2 && mser <= least {
			least = mser
			found = Warmup{Values: i * Batch, Mean: mean, StandardError: math.Sqrt(mser)}
		}
	}
	return found
}
