package stats

import (
	"math"
	"slices"
)

// MinRepeats is the least number of values from which their own scatter shows
// how sure a difference is.
const MinRepeats = 3

// Confidence is that of the interval of a Difference.
const Confidence = 0.95

// Doubt is what the scatter of the values does not show. Both are on the scale
// of the values.
type Doubt struct {
	// Noise is the standard deviation from run to run of the same thing. It does not shrink with
	// repeats. NoiseDF is on how many degrees of freedom it rests; 0: it is known.
	Noise, NoiseDF float64
	// Resolution is by how much two equal things may differ as written.
	Resolution float64
}

// Difference is how far B lies from A, on a scale on which differences add up:
// of ratios, give the logarithms.
type Difference struct {
	Value  float64 // between the medians
	Lo, Hi float64 // the interval that holds the true one with Confidence

	mean, se, df float64 // of Student's test
	guard        float64 // what a difference must exceed to be one
	also         []Difference

	own, fixed freedom   // parts of the variance: what more repeats make smaller, and what they do not
	bets       []float64 // of blocks; nil: the test is Student's

	// Of a confidence sequence: half of it, and what is added to each side, which more repeats do not make smaller.
	sequence, rest float64
}

// And is the difference where another way to measure it has to show it, too: its interval
// holds those of both, and its p is the larger one, so that it is a difference only if it is
// one in each of them (an intersection-union test: Berger, Technometrics 24, 1982).
func (d Difference) And(o Difference) Difference {
	d.Lo, d.Hi = min(d.Lo, o.Lo), max(d.Hi, o.Hi)
	d.also = append(slices.Clone(d.also), o)
	return d
}

// Unpaired compares two samples. It fails with ok false when a sample is empty,
// or has fewer than MinRepeats values and the noise is not known either.
//
// The interval is Welch's, of the means, widened where the difference between the medians is
// not in it.
func Unpaired(a, b []float64, d Doubt) (diff Difference, ok bool) {
	if !enough(len(a), d) || !enough(len(b), d) {
		return Difference{}, false
	}
	diff = Difference{Value: Median(b) - Median(a), mean: Mean(b) - Mean(a), guard: d.Resolution}
	va, vb := meanVariance(a), meanVariance(b)
	own := together(freedom{va, freedomOf(a)}, freedom{vb, freedomOf(b)})
	diff.student(own, d.between(2))
	return diff, true
}

// Paired is the same of differences that were each taken within one repeat: what
// both had in common is out of them. Noise counts only when they are fewer than
// MinRepeats, since one run holds both.
func Paired(differences []float64, d Doubt) (diff Difference, ok bool) {
	if !enough(len(differences), d) {
		return Difference{}, false
	}
	diff = Difference{Value: Median(differences), mean: Mean(differences), guard: d.Resolution}
	if len(differences) < MinRepeats {
		diff.student(freedom{}, d.between(2))
		return diff, true
	}
	rests := freedom{meanVariance(differences), freedomOf(differences)}
	if len(differences) >= trimmedFrom {
		diff.mean, rests = trimmed(differences)
	}
	diff.student(rests, freedom{})
	return diff, true
}

// OfRun is how far the values of one run lie from 0: their scatter, and what a run of the same thing differs
// by from another one, which repeats within it do not show. Fewer than MinRepeats have no scatter of
// their own.
func OfRun(values []float64, d Doubt) (diff Difference) {
	diff = Difference{Value: Median(values), mean: Mean(values), guard: d.Resolution}
	own := meanVariance(values)
	if own == 0 && d.Noise == 0 { // exact values
		diff.Lo, diff.Hi = diff.mean-d.Resolution, diff.mean+d.Resolution
		return diff
	}
	diff.student(freedom{own, freedomOf(values)}, d.between(1))
	return diff
}

// OfRunAnytime is OfRun of a run that ended as it liked what it saw: the confidence sequence of the median of its values,
// wider by what one run differs by from another.
func OfRunAnytime(values []float64, d Doubt) (diff Difference) {
	if len(values) >= MinRepeats && d.Noise == 0 && meanVariance(values) == 0 { // exact values
		return OfRun(values, d)
	}
	lo, hi, effect, _ := MedianSequence(values)
	diff = Difference{Value: Median(values), mean: Median(values), guard: d.Resolution, fixed: d.between(1)}
	diff.own = freedom{meanVariance(values) * effect, freedomOf(values)}
	diff.sequence, diff.rest = (hi-lo)/2, d.Resolution+Reach(d.Noise, d.NoiseDF)
	diff.Lo, diff.Hi = lo-diff.rest, hi+diff.rest
	return diff
}

func enough(n int, d Doubt) bool { return n >= MinRepeats || (n > 0 && d.Noise > 0) }

// freedom is a variance and its degrees of freedom, infinitely many of one that is known.
type freedom struct{ variance, df float64 }

// freedomOf is that of the mean of a sample; of too few values 0, and their variance counts for nothing.
func freedomOf(sample []float64) float64 {
	if len(sample) < MinRepeats {
		return 0
	}
	return float64(len(sample) - 1)
}

// between is the variance from run to run of a number of runs together.
func (d Doubt) between(runs float64) freedom {
	v := freedom{runs * d.Noise * d.Noise, d.NoiseDF}
	if v.df <= 0 {
		v.df = math.Inf(1)
	}
	return v
}

// together is the sum of variances and its degrees of freedom (Welch and Satterthwaite; JCGM 100:2008, G.4.1). A part
// without any counts for nothing; 0 where the sum is 0.
func together(parts ...freedom) (sum freedom) {
	weight := 0.0
	for _, p := range parts {
		if p.df > 0 {
			sum.variance += p.variance
			weight += p.variance * p.variance / p.df
		}
	}
	if sum.df = math.Inf(1); weight > 0 {
		sum.df = sum.variance * sum.variance / weight
	}
	return sum
}

// student sets error, degrees of freedom and interval. own is the variance that more repeats make smaller.
func (d *Difference) student(own, fixed freedom) {
	const never = 1e-12 // of equal values: keeps the quotient defined
	all := together(own, fixed)
	d.own, d.fixed = own, fixed
	d.se, d.df = max(math.Sqrt(all.variance), never), all.df
	reach := studentQuantile((1-Confidence)/2, d.df)*d.se + d.guard
	d.Lo, d.Hi = min(d.mean-reach, d.Value), max(d.mean+reach, d.Value)
}

// Clear reports whether the interval leaves out no difference at all.
func (d Difference) Clear() bool { return d.Lo > 0 || d.Hi < 0 }

// P is the probability of so much or more when there is no difference.
func (d Difference) P() float64 {
	if d.bets != nil {
		up, down := symmetricBet(d.bets, d.guard), symmetricBet(negated(d.bets), d.guard)
		for i := range up {
			up[i] = (up[i] + down[i]) / 2
		}
		return 1 / most(up)
	}
	t := max(0, math.Abs(d.mean)-d.guard) / d.se
	p := min(1, 2*studentTail(t, d.df))
	for _, o := range d.also {
		if o.mean*d.mean < 0 {
			return 1
		}
		p = max(p, o.P())
	}
	return p
}

// PAbove is the probability of so much or more when B lies at most margin above
// A; the margin may be negative.
func (d Difference) PAbove(margin float64) float64 {
	if d.bets != nil {
		return 1 / d.EAbove(margin)
	}
	p := studentTail((d.mean-margin-d.guard)/d.se, d.df)
	for _, o := range d.also {
		p = max(p, o.PAbove(margin))
	}
	return p
}

// PBelow is the probability of so little or less when B lies at least margin above A.
func (d Difference) PBelow(margin float64) float64 { return d.Negated().PAbove(-margin) }

// EAbove is the e-value against that B lies at most margin above A, the highest of all looks so far; 1 where the
// difference is not of blocks.
func (d Difference) EAbove(margin float64) float64 { return most(symmetricBet(d.bets, margin+d.guard)) }

// Anytime reports whether interval and p values hold at every look together: the difference is of blocks.
func (d Difference) Anytime() bool { return d.bets != nil }

// Blocks is how many the difference is of, 0 where it is not of blocks.
func (d Difference) Blocks() int { return len(d.bets) }

// RepeatsFor is about how many repeats tell on which side of a margin the difference lies, when those so far are n and
// it and its scatter stay as they are. 0: most do not suffice, since it lies too close, or since one run differs from
// another by that much.
func (d Difference) RepeatsFor(margin float64, n, most int) int {
	distance := math.Abs(d.mean-margin) - d.guard
	if d.bets != nil {
		return RepeatsToKnow(n, (d.Hi-d.Lo)/2-d.guard, distance, most)
	}
	if d.sequence > 0 {
		return RepeatsToKnow(n, d.sequence, math.Abs(d.mean-margin)-d.rest, most)
	}
	decides := func(repeats int) bool {
		more := float64(repeats) / float64(n)
		rest := together(freedom{d.own.variance / more, d.own.df * more}, d.fixed)
		return studentQuantile((1-Confidence)/2, rest.df)*math.Sqrt(rest.variance) <= distance
	}
	if n < 1 || d.own.df == 0 || distance <= 0 || !decides(most) {
		return 0
	}
	lo, hi := n, most // lo is too few
	for hi-lo > 1 {
		if middle := (lo + hi) / 2; decides(middle) {
			hi = middle
		} else {
			lo = middle
		}
	}
	return hi
}

// Negated is A against B.
func (d Difference) Negated() Difference {
	d.Value, d.mean = -d.Value, -d.mean
	d.Lo, d.Hi = -d.Hi, -d.Lo
	if d.bets != nil {
		d.bets = negated(d.bets)
	}
	d.also = slices.Clone(d.also)
	for i, o := range d.also {
		d.also[i] = o.Negated()
	}
	return d
}

// Mean is that of a sample.
func Mean(sample []float64) float64 {
	sum := 0.0
	for _, v := range sample {
		sum += v
	}
	return sum / float64(len(sample))
}

// meanVariance is the variance of the mean; 0 when there are too few values to
// tell.
func meanVariance(sample []float64) float64 {
	if len(sample) < MinRepeats {
		return 0
	}
	middle, sum := Mean(sample), 0.0
	for _, v := range sample {
		sum += (v - middle) * (v - middle)
	}
	return sum / float64(len(sample)-1) / float64(len(sample))
}

// Estimate is the difference that tests are of: between the means, or the trimmed ones.
func (d Difference) Estimate() float64 { return d.mean }

// Unsettled reports whether runs differ from one another by more than what lies between the difference and a margin,
// so that more repeats of them do not tell on which side of it the difference lies.
func (d Difference) Unsettled(margin float64) bool {
	return d.fixed.df > 0 && studentQuantile((1-Confidence)/2, d.fixed.df)*math.Sqrt(d.fixed.variance) >= math.Abs(d.mean-margin)-d.guard
}
