package queueing

import "math"

// problem is one model against the loads: residuals as a function of a place in
// the box of its parameters.
type problem struct {
	model
	loads []load
	all   []dimension // those of the model, then the delay unless it is fixed
	fixed float64     // the delay, s, if it is fixed
}

func newProblem(m model, loads []load, h hints, o Options) problem {
	p := problem{model: m, loads: loads, all: append([]dimension(nil), m.dims...)}
	if o.DelayNS != nil {
		p.fixed = *o.DelayNS * 1e-9
		return p
	}
	delay := h.delay()
	if m.coarse {
		delay.starts = delay.starts[:1]
	}
	p.all = append(p.all, delay)
	return p
}

// without is the problem with one load left out.
func (p problem) without(i int) problem {
	p.loads = append(append([]load(nil), p.loads[:i]...), p.loads[i+1:]...)
	return p
}

// outside gives the parameters, and the delay, at a place.
func (p problem) outside(x []float64) (v values, delay float64) {
	v = make(values, len(p.dims))
	for i, d := range p.dims {
		v[i] = d.outside(x[i])
	}
	if len(x) == len(p.dims) {
		return v, p.fixed
	}
	return v, p.all[len(x)-1].outside(x[len(x)-1])
}

// predicted gives the observables of one load on the scale of the fit.
func (p problem) predicted(x []float64, at load) []float64 {
	v, delay := p.outside(x)
	l, loss, _ := p.at(at.pps, v)
	out := make([]float64, len(at.observables))
	for i, o := range at.observables {
		switch o.name {
		case Loss:
			out[i] = loss
		case Mean:
			out[i] = math.Log((l.mean() + delay) * 1e9)
		default:
			out[i] = math.Log((quantile(l, shareOf[o.name]) + delay) * 1e9)
		}
	}
	return out
}

// shareOf is the share of packets below a percentile.
var shareOf = map[string]float64{P50: 0.5, P95: 0.95, P99: 0.99}

// residuals are predicted less measured, in standard errors.
func (p problem) residuals(x []float64) []float64 {
	var all []float64
	for _, l := range p.loads {
		for i, value := range p.predicted(x, l) {
			all = append(all, (value-l.observables[i].value)/l.observables[i].sigma)
		}
	}
	return all
}

// starts are all combinations of the starts of each parameter.
func (p problem) starts() [][]float64 {
	all := [][]float64{nil}
	for _, d := range p.all {
		var longer [][]float64
		for _, x := range all {
			for _, s := range d.starts {
				longer = append(longer, append(append([]float64(nil), x...), d.inside(s)))
			}
		}
		all = longer
	}
	return all
}

// range of a parameter on the scale of the search.
func (d dimension) bounds() (from, to float64) { return d.inside(d.from), d.inside(d.to) }

func squares(r []float64) float64 {
	sum := 0.0
	for _, v := range r {
		sum += v * v
	}
	return sum
}
