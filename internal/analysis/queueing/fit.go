package queueing

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// Result of a fit.
type Result struct {
	// Models are all that were tried, the accepted first, each by AICc, then those
	// not tried.
	Models []Fitted
	// Chosen is the place of the chosen one in Models, -1 when no model fits.
	Chosen int

	highest float64 // load measured, pps
	cpu     cpuCurve
}

// Fit fits all models to the points and chooses one, or none: Chosen is -1 then,
// which is not an error. Points may be in any order, several at a load are
// repeats. Errors: ErrValue, ErrNoLatency, ErrFewLoads, ErrAllLost, ErrSaturated,
// ErrNeverLoaded, ErrUnknownModel.
func Fit(points []Point, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	loads, err := collect(points)
	if err != nil {
		return Result{}, err
	}
	h := newHints(loads)
	models := fitAll(catalog(h, o), loads, h, o)
	if choose(models) < 0 && !o.NoSimulation {
		models = append(models, fitAll([]candidate{simulatedModel(h, o)}, loads, h, o)...)
	}
	rank(models)
	chosen := choose(models)
	for i := range models {
		models[i].intervals(o, i == chosen)
	}
	return Result{Models: models, Chosen: chosen, highest: h.highest, cpu: newCPUCurve(points)}, nil
}

// Best is the chosen model; ErrNoModel when there is none.
func (r Result) Best() (Fitted, error) {
	if r.Chosen < 0 || r.Chosen >= len(r.Models) {
		return Fitted{}, ErrNoModel
	}
	return r.Models[r.Chosen], nil
}

// fitAll fits those that are wanted, as many at a time as there are CPUs.
func fitAll(all []candidate, loads []load, h hints, o Options) []Fitted {
	wanted := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return !o.wants(c.name) })
	models := make([]Fitted, len(wanted))
	var done sync.WaitGroup
	cpus := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, c := range wanted {
		done.Go(func() {
			cpus <- struct{}{}
			models[i] = fitOne(c, loads, h, o)
			<-cpus
		})
	}
	done.Wait()
	return models
}

func fitOne(c candidate, loads []load, h hints, o Options) Fitted {
	f := Fitted{Name: c.name, Rejected: c.skip, AICc: math.Inf(1), problem: newProblem(c.model, loads, h)}
	if f.Rejected != Accepted {
		return f
	}
	n := 0
	for _, l := range loads {
		n += len(l.observables)
	}
	if n < len(f.problem.all)+3 {
		f.Rejected = ReasonFewPoints
		return f
	}
	f.best = f.problem.search()
	if math.IsInf(f.best.cost, 1) {
		f.Rejected = ReasonMisfit
		return f
	}
	f.AICc = aicc(f.best.cost, n, len(f.problem.all)+1)
	f.describe()
	f.judge(o)
	return f
}

// aicc is Akaike's criterion with the correction for few points (Hurvich and
// Tsai, Biometrika 76, 1989) of a least squares fit; k counts the variance too.
func aicc(cost float64, n, k int) float64 {
	points, free := float64(n), float64(k)
	return points*math.Log(max(cost/points, 1e-12)) + 2*free + 2*free*(free+1)/max(points-free-1, 0.5)
}

// describe fills what people read from the best place.
func (f *Fitted) describe() {
	v, _ := f.problem.outside(f.best.x)
	f.MuPPS = v[0]
	if i := f.problem.find(paramQueue); i >= 0 {
		f.QueuePackets = v[i]
	}
	for i, value := range f.problem.shown(f.best.x) {
		d := f.problem.all[i]
		f.Parameters = append(f.Parameters, Parameter{Name: d.name, Unit: shownUnit(d.unit), Value: value})
	}
	f.Residuals = f.problem.compare(f.best)
	f.ErrorRatio = errorRatio(f.Residuals)
}

// shown gives all parameters at a place in units for people: times in ns.
func (p problem) shown(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, d := range p.all {
		out[i] = d.outside(x[i])
		if d.unit == "s" {
			out[i] *= 1e9
		}
	}
	return out
}

func shownUnit(unit string) string {
	if unit == "s" {
		return "ns"
	}
	return unit
}

// compare lists the residuals of a place.
func (p problem) compare(at place) []Residual {
	var all []Residual
	for _, l := range p.loads {
		for i, value := range p.predicted(at.x, l) {
			o := l.observables[i]
			r := Residual{LoadPPS: l.pps, Observable: o.name, Measured: o.value, Predicted: value, Weighted: at.r[len(all)]}
			if o.name != Loss {
				r.Measured, r.Predicted = math.Exp(o.value), math.Exp(value)
			}
			all = append(all, r)
		}
	}
	return all
}

func errorRatio(all []Residual) float64 {
	sum, n := 0.0, 0.0
	for _, r := range all {
		if r.Observable != Loss {
			n++
			sum += math.Pow(min(math.Abs(r.Predicted/r.Measured-1), 10), 2)
		}
	}
	return math.Sqrt(sum / max(n, 1))
}
