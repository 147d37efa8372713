package queueing

import "math"

// batches is the law of how many packets arrive at once: geometric of the given
// mean, or always size.
type batches struct {
	mean float64
	size int // 0: geometric
}

// average is the mean size, packets.
func (b batches) average() float64 {
	if b.size > 0 {
		return float64(b.size)
	}
	return max(b.mean, 1)
}

// mx1 is M[X]/M/1, unlimited. With geometric batches the sojourn time of a
// packet is exponential with mean b/(mu - load): a batch is one exponential
// service of rate mu/b, and a packet's place in its batch is geometric too.
// (Mean: Gross et al. 3.1. So the factor in front of the study's M/M/1 is the
// mean batch.)
func mx1(load, mu float64, b batches) (law, float64) {
	if b.size == 0 {
		return exponential{(mu - load) / b.average()}, 0
	}
	inside := insideBatches(load, mu, b, 1<<17)
	return newStages(mu, inside[1:]), 0
}

// mx1k takes of a batch what there is room for. A packet that comes to place n
// waits for n services, and by level crossing as many packets come to place n as
// leave from it.
func mx1k(load, mu float64, b batches, k int) (law, float64) {
	inside := insideBatches(load, mu, b, k)
	loss := 1 - (1-inside[0])*mu/load
	return newStages(mu, inside[1:]), max(loss, 0)
}

// insideBatches gives the shares of time with 0..k packets inside; it ends early
// where the tail is negligible.
func insideBatches(load, mu float64, b batches, k int) []float64 {
	p, sum := []float64{1}, 1.0
	rate, carry := load/mu/b.average(), 0.0
	for n := 0; n < k; n++ {
		carry = b.crossing(p, carry)
		next := rate * carry
		p, sum = append(p, next), sum+next
		if next < 1e-14*sum && load < mu {
			break
		}
		if sum > 1e200 {
			scale(p, 1e-200)
			sum, carry = sum*1e-200, carry*1e-200
		}
	}
	return normal(p)
}

// crossing sums p[i] times the probability that a batch that finds i brings the
// number over the last of p; carry is what it gave before.
func (b batches) crossing(p []float64, carry float64) float64 {
	n := len(p) - 1
	if b.size == 0 {
		return p[n] + carry*(1-1/b.average())
	}
	sum := 0.0
	for i := max(0, n-b.size+1); i <= n; i++ {
		sum += p[i]
	}
	return sum
}

// stages is the time of a random number of exponential stages of one rate: a
// mixture of Erlang distributions. Every queue with exponential service has a
// sojourn time of this kind: one stage for each packet that goes before.
type stages struct {
	rate float64
	more []float64 // more[j] is the probability of over j stages
}

// newStages takes weights of one stage, two stages ...; they need not sum to 1.
func newStages(rate float64, weights []float64) stages {
	more := make([]float64, len(weights))
	sum := 0.0
	for j := len(weights) - 1; j >= 0; j-- {
		sum += weights[j]
		more[j] = sum
	}
	for j := range more {
		more[j] /= sum
	}
	return stages{rate, more}
}

func (s stages) mean() float64 {
	sum := 0.0
	for _, p := range s.more {
		sum += p
	}
	return sum / s.rate
}

// tail sums over how many stages may have ended by t, a Poisson number.
func (s stages) tail(t float64) float64 {
	mean := s.rate * t
	mode := len(s.more) - 1
	if mean < float64(mode) { // not where it is more than an int holds, or no number
		mode = int(mean)
	}
	top := poisson(mean, mode)
	sum := top * s.more[mode]
	for j, p := mode+1, top; j < len(s.more) && p > 1e-18; j++ {
		p *= mean / float64(j)
		sum += p * s.more[j]
	}
	for j, p := mode, top; j > 0 && p > 1e-18; j-- {
		p *= float64(j) / mean
		sum += p * s.more[j-1]
	}
	return min(sum, 1)
}

// poisson is the probability of n events when mean are expected.
func poisson(mean float64, n int) float64 {
	if mean <= 0 {
		return boolFloat(n == 0)
	}
	lg, _ := math.Lgamma(float64(n) + 1)
	return math.Exp(float64(n)*math.Log(mean) - mean - lg)
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
