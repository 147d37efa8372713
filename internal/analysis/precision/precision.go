// Package precision says how far results of one method lie apart, in one laboratory and between laboratories
// (ISO 5725-2:1994). Its functions are pure.
package precision

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// Cell are the results of a laboratory, of one figure in one place, under repeatability conditions.
type Cell struct {
	Lab    string
	Values []float64
}

// Precision is that of a method for one figure.
type Precision struct {
	Labs    int     `json:"laboratories"`
	Results int     `json:"results"`
	Mean    float64 `json:"mean"` // general mean (7.4.4)
	// SR is the repeatability standard deviation, SL the standard deviation between laboratories, SBigR the
	// reproducibility standard deviation (7.4.5).
	SR    float64 `json:"s_r"`
	SL    float64 `json:"s_L"`
	SBigR float64 `json:"s_R"`
	// Two results of one laboratory differ by at most Repeatability in 95 %, those of two laboratories by at most
	// Reproducibility (ISO 5725-6:1994, 4.1.4).
	Repeatability   float64 `json:"r"`
	Reproducibility float64 `json:"R"`
	// SRWithin and SBigRWithin are by which part of themselves the two standard deviations may be wrong, with 95 %
	// (ISO 5725-1:1994, 6.3).
	SRWithin    float64 `json:"s_r_within"`
	SBigRWithin float64 `json:"s_R_within"`
	// Cells are the laboratories.
	Cells []Consistency `json:"cells"`
	// Findings are laboratories that stand out. The figures above contain them: ISO 5725-2 leaves it to people
	// to find the reason and to decide (7.3.1).
	Findings []Finding `json:"findings,omitempty"`
	// Tests is how many tests for such laboratories were made: none of scatters where none scatters, none of means where
	// all are equal or two alone are.
	Tests int `json:"tests"`
}

// Consistency is what a laboratory has.
type Consistency struct {
	Lab  string  `json:"lab"`
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	H    float64 `json:"h"` // Mandel's, of its mean (7.3.1.1)
	K    float64 `json:"k"` // Mandel's, of its scatter (7.3.1.2)
}

// Finding is a laboratory that a test picks out.
type Finding struct {
	Lab   string  `json:"lab"`
	Test  string  `json:"test"` // "Cochran": its scatter; "Grubbs": its mean
	Value float64 `json:"value"`
	Limit float64 `json:"limit"` // at Level
	// Level is 0.01 for an outlier and 0.05 for a straggler (7.3.2).
	Level float64 `json:"level"`
}

// The fewest that there is a precision of.
const (
	LeastLabs         = 2
	leastLabsOfGrubbs = 3 // of two, neither is the one that lies apart
	LeastResults      = 2 // of each
)

// factor is that of a limit of the difference of two results with 95 %: 1.96 times the root of 2, as the standard
// rounds it.
const factor = 2.8

// Of computes the precision of a figure.
func Of(cells []Cell) (p Precision, err error) {
	if len(cells) < LeastLabs {
		return p, fmt.Errorf("%d laboratory: give at least %d", len(cells), LeastLabs)
	}
	var sums struct{ within, df, n, squares, values float64 }
	for _, c := range cells {
		n := float64(len(c.Values))
		if n < LeastResults {
			return p, fmt.Errorf("laboratory %s has %d result: each needs at least %d", c.Lab, len(c.Values), LeastResults)
		}
		mean, sd := meanSD(c.Values)
		if !(math.Abs(mean) < math.MaxFloat64) || math.IsNaN(sd) {
			return p, errors.New("laboratory " + c.Lab + " has a result that is no number")
		}
		p.Cells = append(p.Cells, Consistency{Lab: c.Lab, N: len(c.Values), Mean: mean, SD: sd})
		sums.within += (n - 1) * sd * sd
		sums.df += n - 1
		sums.n += n
		sums.squares += n * n
		sums.values += n * mean
	}
	labs := float64(len(cells))
	p.Labs, p.Results, p.Mean = len(cells), int(sums.n), sums.values/sums.n
	between := 0.0
	for _, c := range p.Cells {
		between += float64(c.N) * (c.Mean - p.Mean) * (c.Mean - p.Mean)
	}
	each := (sums.n - sums.squares/sums.n) / (labs - 1) // results a laboratory, where they have not all as many
	p.SR = math.Sqrt(sums.within / sums.df)
	p.SL = math.Sqrt(max(0, (between/(labs-1)-p.SR*p.SR)/each)) // below 0: no difference is seen (7.4.5.4)
	p.SBigR = math.Hypot(p.SR, p.SL)
	p.Repeatability, p.Reproducibility = factor*p.SR, factor*p.SBigR
	p.SRWithin, p.SBigRWithin = within(labs, each, p.SR, p.SBigR)
	p.mandel(labs, sums.within/sums.df)
	p.cochran(labs, each)
	p.grubbs(labs)
	return p, nil
}

// within are ISO 5725-1's A_r and A_R, for so many laboratories and results of each. Without any scatter in a laboratory
// A_R is that of as many single results; without any at all it is 0.
func within(labs, each, sr, sBigR float64) (r, bigR float64) {
	switch {
	case sBigR == 0:
		return 0, 0
	case sr == 0:
		return 0, 1.96 / math.Sqrt(2*(labs-1))
	}
	g := sBigR / sr * sBigR / sr
	a := 1 + each*(g-1)
	return 1.96 * math.Sqrt(1/(2*labs*(each-1))),
		1.96 * math.Sqrt((labs*a*a+(each-1)*(labs-1))/(2*g*g*each*each*(labs-1)*labs))
}

// mandel fills in both of Mandel's statistics.
func (p *Precision) mandel(labs, pooled float64) {
	means := make([]float64, len(p.Cells))
	for i, c := range p.Cells {
		means[i] = c.Mean
	}
	mean, sd := meanSD(means)
	for i := range p.Cells {
		c := &p.Cells[i]
		if sd > 0 {
			c.H = (c.Mean - mean) / sd
		}
		if pooled > 0 {
			c.K = c.SD / math.Sqrt(pooled)
		}
	}
}

// cochran tests the largest scatter (7.3.3).
func (p *Precision) cochran(labs, each float64) {
	most, sum := p.Cells[0], 0.0
	for _, c := range p.Cells {
		sum += c.SD * c.SD
		if c.SD > most.SD {
			most = c
		}
	}
	if !(sum > 0) {
		return
	}
	p.test(Finding{Lab: most.Lab, Test: "Cochran", Value: most.SD * most.SD / sum}, func(level float64) float64 {
		return cochranLimit(level, labs, each)
	})
}

func cochranLimit(level, labs, each float64) float64 {
	f := fQuantile(1-level/labs, each-1, (labs-1)*(each-1))
	return 1 / (1 + (labs-1)/f)
}

// grubbs tests the mean that is farthest from the others (7.3.4).
func (p *Precision) grubbs(labs float64) {
	far := slices.MaxFunc(p.Cells, func(a, b Consistency) int { return cmp.Compare(math.Abs(a.H), math.Abs(b.H)) })
	if labs < leastLabsOfGrubbs || far.H == 0 {
		return
	}
	p.test(Finding{Lab: far.Lab, Test: "Grubbs", Value: math.Abs(far.H)}, func(level float64) float64 {
		return grubbsLimit(level, labs)
	})
}

func grubbsLimit(level, labs float64) float64 {
	t2 := fQuantile(1-level/labs, 1, labs-2) // of Student's t, squared, exceeded by level/(2 labs) on each side
	return (labs - 1) / math.Sqrt(labs) * math.Sqrt(t2/(labs-2+t2))
}

// test counts a test, and keeps its finding, at the strictest level that its value is beyond, if there is one.
func (p *Precision) test(f Finding, limit func(level float64) float64) {
	p.Tests++
	for _, f.Level = range []float64{0.01, 0.05} {
		if f.Limit = limit(f.Level); f.Value > f.Limit {
			p.Findings = append(p.Findings, f)
			return
		}
	}
}

// fQuantile is the value below which Fisher's F with d1 and d2 degrees of freedom lies with a probability.
func fQuantile(p, d1, d2 float64) float64 {
	x := mathext.InvRegIncBeta(d1/2, d2/2, p)
	return d2 * x / (d1 * (1 - x))
}

// meanSD are the mean and the standard deviation of a sample.
func meanSD(values []float64) (mean, sd float64) {
	mean = stats.Mean(values)
	for _, v := range values {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(values)-1))
}
