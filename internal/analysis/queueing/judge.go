package queueing

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Bounds of acceptance.
const (
	// MaxError is the largest ErrorRatio, and MaxLossError the largest root mean
	// square difference of loss ratios, of an accepted model; twice that where the
	// repeats scatter so much that the model is not told from the measurement.
	MaxError, MaxLossError = 0.25, 0.05
	// ScatterLevel is the probability below which the differences are more than the
	// scatter of the repeats (chi-squared test of the weighted residuals).
	ScatterLevel = 0.01
	// MaxPredictionError is the largest P99ErrorRatio.
	MaxPredictionError = 0.5
	// Residuals with a StructureP below StructureLevel reject a model whose
	// ErrorRatio is over NegligibleError: a wrong shape that changes no figure by
	// more is of no use to know.
	StructureLevel, NegligibleError = 0.01, 0.05
	// CloseAICc is the difference in AICc up to which two models are taken as
	// equally good (Burnham and Anderson, "Model Selection", 2002, 2.6: below 4
	// to 7 a model is plausible), so that the simpler one is chosen. FarAICc is the
	// difference from which on a model has essentially no support (the same): up to it
	// the simpler one is chosen when it predicts loads left out at least as well.
	CloseAICc, FarAICc = 4, 10
)

// judge rejects a model that does not describe the measurement.
func (f *Fitted) judge(o Options) {
	f.StructureP = structure(f.problem.loads, f.best.r, o.Seed)
	misfit := f.errors() > 1 && !f.withinScatter() || f.errors() > 2
	if !misfit || f.Name == "M/M/1" {
		f.P99ErrorRatio = f.leaveOut()
	}
	switch {
	case misfit:
		f.Rejected = ReasonMisfit
	case f.StructureP < StructureLevel && f.ErrorRatio > NegligibleError:
		f.Rejected = ReasonStructured
	case f.P99ErrorRatio > MaxPredictionError:
		f.Rejected = ReasonPrediction
	}
}

// errors is how many times as large as allowed the differences are.
func (f *Fitted) errors() float64 {
	return max(f.ErrorRatio/MaxError, lossError(f.Residuals)/MaxLossError)
}

// withinScatter reports whether the differences are no more than repeats differ by, as chi-squared
// says.
func (f *Fitted) withinScatter() bool {
	free := -float64(len(f.problem.all))
	for _, l := range f.problem.loads {
		free += float64(len(l.observables))
	}
	return free > 0 && mathext.GammaIncRegComp(free/2, f.best.cost/2) > ScatterLevel
}

func lossError(all []Residual) float64 {
	sum, n := 0.0, 0.0
	for _, r := range all {
		if r.Observable == Loss {
			n++
			sum += (r.Predicted - r.Measured) * (r.Predicted - r.Measured)
		}
	}
	return math.Sqrt(sum / max(n, 1))
}

// leaveOut predicts each load but the first and last from a fit to the others,
// and gives the mean relative error of its highest percentile.
func (f *Fitted) leaveOut() float64 {
	sum, n := 0.0, 0.0
	for i := 1; i+1 < len(f.problem.loads); i++ {
		out := f.problem.loads[i]
		at := highestLatency(out)
		if at < 0 {
			continue
		}
		p := f.problem.without(i)
		steps := 4
		if p.coarse {
			steps = 2
		}
		x := p.descend(p.place(f.best.x), steps).x
		n++
		sum += min(math.Abs(math.Expm1(f.problem.predicted(x, out)[at]-out.observables[at].value)), 10)
	}
	return sum / max(n, 1)
}

// highestLatency is the place of p99, or of the next lower that was measured.
func highestLatency(l load) int {
	for _, name := range []string{P99, P95, P50, Mean} {
		for i, o := range l.observables {
			if o.name == name {
				return i
			}
		}
	}
	return -1
}

// rank puts accepted models first, each group by AICc. Of the first one it is always known
// how well it predicts.
func rank(models []Fitted) {
	slices.SortStableFunc(models, func(a, b Fitted) int {
		if (a.Rejected == Accepted) != (b.Rejected == Accepted) {
			return 1 - 2*int(boolFloat(a.Rejected == Accepted))
		}
		return cmp.Compare(a.AICc, b.AICc)
	})
	if len(models) == 0 {
		return
	}
	if best := &models[0]; best.Rejected == ReasonMisfit {
		best.P99ErrorRatio = best.leaveOut()
	}
}

// choose takes, of the accepted models that are about as good as the best by
// AICc, the one with the fewest parameters, then the one that predicts left out
// loads best.
func choose(models []Fitted) int {
	least := -1
	for i, f := range models {
		if f.Rejected == Accepted && (least < 0 || f.AICc < models[least].AICc) {
			least = i
		}
	}
	best := least
	for i, f := range models {
		if f.Rejected == Accepted && asGood(f, models[least]) && simpler(f, models[best]) {
			best = i
		}
	}
	return best
}

// asGood reports whether a model is about as good as the best one by AICc.
func asGood(f, best Fitted) bool {
	behind := f.AICc - best.AICc
	return behind <= CloseAICc || behind <= FarAICc && f.P99ErrorRatio <= best.P99ErrorRatio
}

func simpler(a, b Fitted) bool {
	if len(a.Parameters) != len(b.Parameters) {
		return len(a.Parameters) < len(b.Parameters)
	}
	return a.P99ErrorRatio < b.P99ErrorRatio
}
