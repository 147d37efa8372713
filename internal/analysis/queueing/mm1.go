package queueing

import "math"

// mm1 is the unlimited queue of Gross et al. 2.2: sojourn times exponential
// with rate mu - load.
func mm1(load, mu float64) (law, float64) { return exponential{mu - load}, 0 }

// mm1k has room for k packets, with the one in service (Gross et al. 2.5). A
// packet that finds n others waits for n+1 services; one that finds k is lost.
func mm1k(load, mu float64, k int) (law, float64) {
	logRatio := math.Log(load / mu)
	weights, sum := make([]float64, k), 0.0
	for n := range weights {
		weights[n] = powerOf(logRatio, n, k)
		sum += weights[n]
	}
	full := powerOf(logRatio, k, k)
	return newStages(mu, weights), full / (sum + full)
}

// powerOf is the ratio to the n, divided by the highest of the powers 0..k.
func powerOf(logRatio float64, n, k int) float64 {
	if logRatio > 0 {
		n -= k
	}
	return math.Exp(float64(n) * logRatio)
}
