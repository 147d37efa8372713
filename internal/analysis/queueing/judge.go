package queueing

import (
	"cmp"
	"math"
	"slices"
)

// Bounds of acceptance.
const (
	// MaxError is the largest ErrorRatio, and MaxLossError the largest root mean
	// square difference of loss ratios, of an accepted model.
	MaxError, MaxLossError = 0.25, 0.05
	// MaxPredictionError is the largest P99ErrorRatio.
	MaxPredictionError = 0.5
	// Residuals with a StructureP below StructureLevel reject a model whose
	// ErrorRatio is over NegligibleError: a wrong shape that changes no figure by
	// more is of no use to know.
	StructureLevel, NegligibleError = 0.01, 0.05
	// CloseAICc is the difference in AICc up to which two models are taken as
	// equally good (Burnham and Anderson, "Model Selection", 2002, 2.6: below 4
	// to 7 a model is plausible), so that the simpler one is chosen.
	CloseAICc = 4
)

// judge rejects a model that does not describe the measurement.
func (f *Fitted) judge(o Options) {
	f.StructureP = structure(f.problem.loads, f.best.r, o.Seed)
	misfit := f.ErrorRatio > MaxError || lossError(f.Residuals) > MaxLossError
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

// rank puts accepted models first, each group by AICc.
func rank(models []Fitted) {
	slices.SortStableFunc(models, func(a, b Fitted) int {
		if (a.Rejected == Accepted) != (b.Rejected == Accepted) {
			return 1 - 2*int(boolFloat(a.Rejected == Accepted))
		}
		return cmp.Compare(a.AICc, b.AICc)
	})
}

// choose takes, of the accepted models that are about as good as the best by
// AICc, the one with the fewest parameters, then the one that predicts left out
// loads best.
func choose(models []Fitted) int {
	least := math.Inf(1)
	for _, f := range models {
		if f.Rejected == Accepted {
			least = min(least, f.AICc)
		}
	}
	best := -1
	for i, f := range models {
		if f.Rejected != Accepted || f.AICc > least+CloseAICc {
			continue
		}
		if best < 0 || simpler(f, models[best]) {
			best = i
		}
	}
	return best
}

func simpler(a, b Fitted) bool {
	if len(a.Parameters) != len(b.Parameters) {
		return len(a.Parameters) < len(b.Parameters)
	}
	return a.P99ErrorRatio < b.P99ErrorRatio
}
