package queueing

import "math"

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
	mode := min(int(mean), len(s.more)-1)
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

// withGeometric adds to each number of stages a geometric one of the given
// mean, 1 or more: an exponential time that is longer than a stage.
func withGeometric(weights []float64, mean float64) []float64 {
	stay, out := 1-1/mean, make([]float64, 1, 2*len(weights))
	last := 0.0
	for j := 0; j < len(weights) || last > 1e-16; j++ {
		last *= stay
		if j < len(weights) {
			last += weights[j] / mean
		}
		out = append(out, last)
	}
	return out
}
