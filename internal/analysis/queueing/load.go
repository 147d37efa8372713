package queueing

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// What a fit compares at each load.
const (
	Mean = "mean"
	P50  = "p50"
	P95  = "p95"
	P99  = "p99"
	Loss = "loss"
)

// observable is one quantity at one load, over its repeats. Latencies are
// logarithms of ns; sigma is the standard error of value, on the same scale.
type observable struct {
	name         string
	value, sigma float64
}

// load is all that was measured at one load.
type load struct {
	pps         float64
	observables []observable
	loss        float64
}

func (l load) latency(name string) (ns float64, ok bool) {
	for _, o := range l.observables {
		if o.name == name {
			return math.Exp(o.value), true
		}
	}
	return 0, false
}

// MinLoads is the least number of different loads for a fit.
const MinLoads = 4

// collect checks the points and groups them by load, ascending.
func collect(points []Point) ([]load, error) {
	by := map[float64][]Point{}
	for _, p := range points {
		if err := p.check(); err != nil {
			return nil, err
		}
		by[p.offered()] = append(by[p.offered()], p)
	}
	if len(by) < MinLoads {
		return nil, fmt.Errorf("%w: %d, and a fit needs %d or more; measure at more loads", ErrFewLoads, len(by), MinLoads)
	}
	rates := slices.Sorted(maps.Keys(by))
	spread := newSpread(rates, by)
	var loads []load
	for _, pps := range rates {
		loads = append(loads, spread.load(pps, by[pps]))
	}
	return loads, checkRange(loads)
}

// saturatedLoss is a loss ratio that no DUT below its limit has.
const saturatedLoss = 0.01

// checkRange refuses loads that say nothing of where the limit is.
func checkRange(loads []load) error {
	first, last := loads[0], loads[len(loads)-1]
	least, most := math.Inf(1), 0.0
	for _, l := range loads {
		least, most = min(least, l.loss), max(most, l.loss)
	}
	switch {
	case least >= 1:
		return fmt.Errorf("%w at each of %d loads; check that the DUT forwards at all", ErrAllLost, len(loads))
	case least > saturatedLoss:
		return fmt.Errorf("%w: %.3g %% lost at the lowest load, %v pps; measure at lower loads", ErrSaturated, 100*first.loss, first.pps)
	case most < saturatedLoss && flat(first, last):
		return fmt.Errorf("%w: latency at %v pps is that at %v pps; measure at higher loads", ErrNeverLoaded, last.pps, first.pps)
	}
	return nil
}

// flat reports whether no latency changed by over 5 % between two loads.
func flat(a, b load) bool {
	for _, o := range a.observables {
		if o.name == Loss {
			continue
		}
		if ns, ok := b.latency(o.name); ok && math.Abs(math.Log(ns)-o.value) > 0.05 {
			return false
		}
	}
	return true
}
