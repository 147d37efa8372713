package queueing

import "math"

// law is a distribution of sojourn times, in seconds.
type law interface {
	mean() float64
	// tail is the probability of more than t.
	tail(t float64) float64
}

// quantile is the shortest time that a share p of the packets, 0..1, does not
// exceed. The logarithm of a tail is close to a line, so the Illinois method
// (Dowell and Jarratt, BIT 11, 1971) needs few steps; where it gets stuck, at
// tails that jump, a step halves.
func quantile(l law, p float64) float64 {
	want := math.Log(1 - p)
	over := func(t float64) float64 { return math.Log(max(l.tail(t), 1e-300)) - want }
	lo, hi, at, below := bracket(l.mean(), over)
	if at <= 0 {
		return lo
	}
	stuck := 0
	for step := 0; step < 90 && hi-lo > 1e-7*hi; step++ {
		width := hi - lo
		t := (lo + hi) / 2
		if stuck < 2 {
			margin := 2e-8 * hi
			t = min(max(lo+width*at/(at-below), lo+margin), hi-margin)
		}
		if v := over(t); v > 0 {
			lo, at, below = t, v, below/2
		} else {
			hi, below, at = t, min(v, -1e-12), at/2
		}
		stuck++
		if hi-lo < width/2 {
			stuck = 0
		}
	}
	return hi
}

// bracket finds two times between which over changes from above zero to below,
// and its values there.
func bracket(start float64, over func(float64) float64) (lo, hi, at, below float64) {
	hi, below = start, over(start)
	at = over(0)
	for n := 0; n < 200 && below > 0; n++ {
		lo, at = hi, below
		hi *= 2
		below = over(hi)
	}
	return lo, hi, at, below
}

// exponential is the law of M/M/1 and its relatives.
type exponential struct{ rate float64 }

func (e exponential) mean() float64          { return 1 / e.rate }
func (e exponential) tail(t float64) float64 { return math.Exp(-e.rate * t) }

// scaled is a law whose times are longer by a factor.
type scaled struct {
	law
	by float64
}

func (s scaled) mean() float64          { return s.by * s.law.mean() }
func (s scaled) tail(t float64) float64 { return s.law.tail(t / s.by) }

// mixed is one law for most packets and another one for a share of them.
type mixed struct {
	most, other law
	share       float64
}

func (m mixed) mean() float64 { return (1-m.share)*m.most.mean() + m.share*m.other.mean() }

func (m mixed) tail(t float64) float64 {
	return (1-m.share)*m.most.tail(t) + m.share*m.other.tail(t)
}
