package search

import (
	"math"
	"slices"
	"time"
)

// class is what the trials at one load say (RFC 9971 clause 4.7.2).
type class int

const (
	undecided class = iota
	lowerBound
	upperBound
)

// criterion is what a goal, or one of its coarser targets, asks of a load.
type criterion struct {
	lossRatio   float64
	exceedRatio float64
	trial       time.Duration // shorter trials are short trials
	sum         time.Duration
}

// sums are durations of trials at one load, by Trial Classification (RFC 9971
// clause 4.7.1).
type sums struct {
	fullLow, fullHigh   time.Duration // Full-Length, Low-Loss and High-Loss
	shortLow, shortHigh time.Duration
}

func (c criterion) sums(trials []sample) sums {
	var s sums
	for _, t := range trials {
		switch full, high := t.duration >= c.trial, t.high(c.lossRatio); {
		case full && high:
			s.fullHigh += t.duration
		case full:
			s.fullLow += t.duration
		case high:
			s.shortHigh += t.duration
		default:
			s.shortLow += t.duration
		}
	}
	return s
}

// classify is the Load Classification of RFC 9971 appendix A: a load is a bound
// when no result of the trials still missing could change it.
func (c criterion) classify(trials []sample) class {
	s := c.sums(trials)
	balancing := wholeNS(c.exceedRatio / (1 - c.exceedRatio) * float64(s.shortLow))
	excess := max(0, float64(s.shortHigh)-balancing)
	high := float64(s.fullHigh) + excess
	whole := max(float64(s.fullLow)+high, float64(c.sum))
	quantile := wholeNS(whole * c.exceedRatio)
	switch {
	case whole-float64(s.fullLow) <= quantile:
		return lowerBound
	case high > quantile:
		return upperBound
	default:
		return undecided
	}
}

// wholeNS rounds a time in ns, so that 1/7 of 7 s is a second and not a bit more.
func wholeNS(t float64) float64 { return math.Round(t) }

// quantileLoss is the loss ratio of the Conditional Throughput (RFC 9971
// appendix B), 0..1: what the trials stay within, but for the exceed ratio.
// Trials that are missing count as lost. There has to be a full-length trial at
// a lower bound.
func (c criterion) quantileLoss(trials []sample) float64 {
	full := slices.DeleteFunc(slices.Clone(trials), func(t sample) bool { return t.duration < c.trial })
	slices.SortStableFunc(full, func(a, b sample) int {
		switch {
		case a.loss < b.loss:
			return -1
		case a.loss > b.loss:
			return 1
		}
		return 0
	})
	var length time.Duration
	for _, t := range full {
		length += t.duration
	}
	remaining := wholeNS(float64(max(c.sum, length)) * (1 - c.exceedRatio))
	loss := 1.0
	for i, t := range full {
		if i > 0 && remaining <= 0 {
			return loss
		}
		loss = t.loss
		remaining -= float64(t.duration)
	}
	if remaining > 0 {
		return 1
	}
	return loss
}
