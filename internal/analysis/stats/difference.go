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
	// Noise is the standard deviation between two runs of the same thing. It
	// does not shrink with repeats.
	Noise float64
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
	diff = Difference{Value: Median(b) - Median(a), mean: mean(b) - mean(a), guard: d.Resolution}
	va, vb := meanVariance(a), meanVariance(b)
	diff.student(2*d.Noise*d.Noise, freedom{va, len(a)}, freedom{vb, len(b)})
	return diff, true
}

// Paired is the same of differences that were each taken within one repeat: what
// both had in common is out of them. Noise counts only when they are fewer than
// MinRepeats, since one run holds both.
func Paired(differences []float64, d Doubt) (diff Difference, ok bool) {
	if !enough(len(differences), d) {
		return Difference{}, false
	}
	diff = Difference{Value: Median(differences), mean: mean(differences), guard: d.Resolution}
	if len(differences) < MinRepeats {
		diff.student(2 * d.Noise * d.Noise)
		return diff, true
	}
	rests := freedom{meanVariance(differences), len(differences)}
	if len(differences) >= trimmedFrom {
		diff.mean, rests = trimmed(differences)
	}
	diff.student(0, rests)
	return diff, true
}

func enough(n int, d Doubt) bool { return n >= MinRepeats || (n > 0 && d.Noise > 0) }

// freedom is the variance of a mean and on how many values it rests.
type freedom struct {
	variance float64
	n        int
}

// student sets error, degrees of freedom (Welch and Satterthwaite; a known
// variance has infinitely many) and interval.
func (d *Difference) student(known float64, parts ...freedom) {
	const never = 1e-12 // of equal values: keeps the quotient defined
	total, weight := known, 0.0
	for _, p := range parts {
		if p.n >= MinRepeats {
			total += p.variance
			weight += p.variance * p.variance / float64(p.n-1)
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

func mean(sample []float64) float64 {
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
	middle, sum := mean(sample), 0.0
	for _, v := range sample {
		sum += (v - middle) * (v - middle)
	}
	return sum / float64(len(sample)-1) / float64(len(sample))
}
