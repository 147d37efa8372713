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
	diff.student(d.between(2), freedom{va, freedomOf(a)}, freedom{vb, freedomOf(b)})
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
		diff.student(d.between(2))
		return diff, true
	}
	rests := freedom{meanVariance(differences), freedomOf(differences)}
	if len(differences) >= trimmedFrom {
		diff.mean, rests = trimmed(differences)
	}
	diff.student(rests)
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
	diff.student(d.between(1), freedom{own, freedomOf(values)})
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

// student sets error, degrees of freedom (Welch and Satterthwaite; JCGM 100:2008, G.4.1) and interval.
func (d *Difference) student(parts ...freedom) {
	const never = 1e-12 // of equal values: keeps the quotient defined
	total, weight := 0.0, 0.0
	for _, p := range parts {
		if p.df > 0 {
			total += p.variance
			weight += p.variance * p.variance / p.df
		}
	}
	d.se, d.df = max(math.Sqrt(total), never), math.Inf(1)
	if weight > 0 {
		d.df = total * total / weight
	}
	reach := studentQuantile((1-Confidence)/2, d.df)*d.se + d.guard
	d.Lo, d.Hi = min(d.mean-reach, d.Value), max(d.mean+reach, d.Value)
}

// Clear reports whether the interval leaves out no difference at all.
func (d Difference) Clear() bool { return d.Lo > 0 || d.Hi < 0 }

// P is the probability of so much or more when there is no difference.
func (d Difference) P() float64 {
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
	p := studentTail((d.mean-margin-d.guard)/d.se, d.df)
	for _, o := range d.also {
		p = max(p, o.PAbove(margin))
	}
	return p
}

// Negated is A against B.
func (d Difference) Negated() Difference {
	d.Value, d.mean = -d.Value, -d.mean
	d.Lo, d.Hi = -d.Hi, -d.Lo
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
