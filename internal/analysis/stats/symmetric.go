package stats

import (
	"math"
	"slices"
)

// sharpness are the weights of the mixture of bets in symmetricBet: how fast a bet grows with the size of a value. Low
// ones find small differences, high ones do with few values.
var sharpness = [...]float64{1. / 3, 2. / 3, 4. / 3, 8. / 3}

// farthest is from how many median sizes on a value says no more: a bad one costs a bet, and not all of them.
const farthest = 1.5

// symmetricBet is an e-process against the hypothesis that values are symmetric about a centre, or lie lower: at each
// value its current e-value. It bets on the sign of each value less the centre, so much as its size says, which under
// the hypothesis says nothing of the sign; all e-processes against symmetry are of that form (Ramdas, Ruf, Larsson and
// Koolen, "Admissible anytime-valid sequential inference must rely on nonnegative martingales", 2020, section 5.2). A
// bet of tanh is the likelihood ratio of two normal distributions on either side of the centre. It assumes no
// variance, no distribution, and not that values are drawn from the same one.
func symmetricBet(values []float64, centre float64) (e []float64) {
	var sizes []float64 // so far, ascending: what comes later sets no scale
	var wealth [len(sharpness)]float64
	for _, v := range values {
		d := v - centre
		at, _ := slices.BinarySearch(sizes, math.Abs(d))
		sizes = slices.Insert(sizes, at, math.Abs(d))
		scaled, sum := 0.0, 0.0
		if d != 0 {
			scaled = max(-farthest, min(farthest, d/percentileSorted(sizes, 50)))
		}
		for i, by := range sharpness {
			wealth[i] += math.Log1p(math.Tanh(by * scaled))
			sum += math.Exp(wealth[i])
		}
		e = append(e, sum/float64(len(sharpness)))
	}
	return e
}

// most is the maximum of an e-process, 1 before it began.
func most(e []float64) float64 {
	highest := 1.0
	for _, v := range e {
		highest = max(highest, v)
	}
	return highest
}

// negated are the values with the other sign.
func negated(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = -v
	}
	return list
}

// Blocked is how far B lies from A by the mean difference of each block of a run that visited both in random order and
// then in the reverse one. Had the two changed their names, each block would have been as probable, with the other
// sign: its difference is symmetric about the true one, whatever drifts meanwhile. So it may be looked at after each
// block, and the run ended at any look: interval and p values hold for all of them together. Of few blocks the interval
// has no ends.
func Blocked(blocks []float64, d Doubt) Difference {
	diff := Difference{Value: Median(blocks), mean: Mean(blocks), guard: d.Resolution, bets: slices.Clone(blocks)}
	diff.Lo = min(lowest(blocks, diff.Value)-d.Resolution, diff.Value)
	diff.Hi = max(-lowest(negated(blocks), -diff.Value)+d.Resolution, diff.Value)
	return diff
}

// lowest is the lower end of the interval of the centre: below it all centres are rejected. It looks from start
// downwards; -Inf: the values are too few to reject any.
func lowest(values []float64, start float64) float64 {
	rejected := func(centre float64) bool { return most(symmetricBet(values, centre)) >= 2/(1-Confidence) }
	least, greatest := MinMax(values)
	below := least - (greatest - least) - 1 // all values lie on one side, at a like distance
	if !rejected(below) {
		return math.Inf(-1)
	}
	for range 60 {
		middle := (start + below) / 2
		if rejected(middle) {
			below = middle
		} else {
			start = middle
		}
	}
	return below
}
