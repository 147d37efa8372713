package queueing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// problem is one model against the loads: residuals as a function of a place in
// the box of its parameters.
type problem struct {
	model
	loads []load
	all   []dimension // those of the model, then the delay
}

func newProblem(m model, loads []load, h hints) problem {
	delay := h.delay()
	if m.coarse {
		delay.starts = delay.starts[:1]
	}
	return problem{model: m, loads: loads, all: append(slices.Clone(m.dims), delay)}
}

// without is the problem with one load left out.
func (p problem) without(i int) problem {
	p.loads = slices.Concat(p.loads[:i], p.loads[i+1:])
	return p
}

// outside gives the parameters, and the delay, at a place.
func (p problem) outside(x []float64) (v values, delay float64) {
	v = make(values, len(p.dims))
	for i, d := range p.dims {
		v[i] = d.outside(x[i])
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

// Point is what was measured at one load in one repeat.
type Point struct {
	// LoadPPS is the offered load, over 0. OtherPPS is what others offered to the
	// same server at the same time, pps: its queue sees both.
	LoadPPS, OtherPPS float64
	// Latencies of packets that arrived, ns; 0 is not measured.
	MeanNS, P50NS, P95NS, P99NS, P999NS float64
	// LossRatio is lost over offered, 0..1.
	LossRatio float64
	// CPUCores is what the DUT used, cores; 0 is not measured.
	CPUCores float64
	// Packets is how many were offered; 0 is not known.
	Packets uint64
	// Class is the class of traffic (a QFI, a slice); see FitClasses.
	Class string
}

// offered is the load that the queue sees, pps.
func (p Point) offered() float64 { return p.LoadPPS + p.OtherPPS }

func (p Point) hasLatency() bool { return p.MeanNS > 0 || p.P50NS > 0 || p.P95NS > 0 || p.P99NS > 0 }

// check finds what cannot be a measurement.
func (p Point) check() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"load", p.LoadPPS}, {"load of others", p.OtherPPS}, {"mean latency", p.MeanNS}, {"p50 latency", p.P50NS},
		{"p95 latency", p.P95NS}, {"p99 latency", p.P99NS}, {"p99.9 latency", p.P999NS},
		{"loss ratio", p.LossRatio}, {"CPU", p.CPUCores},
	} {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < 0 {
			return fmt.Errorf("%w: %s is %v at a load of %v pps; remove that point", ErrValue, f.name, f.value, p.LoadPPS)
		}
	}
	return p.checkShares()
}

func (p Point) checkShares() error {
	switch {
	case p.LoadPPS == 0:
		return fmt.Errorf("%w: a load is 0 pps; remove that point", ErrValue)
	case p.LossRatio > 1:
		return fmt.Errorf("%w: loss ratio %v at %v pps; give it from 0 to 1", ErrValue, p.LossRatio, p.LoadPPS)
	case p.LossRatio < 1 && !p.hasLatency():
		return fmt.Errorf("%w: packets arrived at %v pps, but their latency is 0 or missing", ErrNoLatency, p.LoadPPS)
	case p.MeanNS > 0 && p.P95NS > p.P99NS && p.P99NS > 0, p.P50NS > p.P95NS && p.P95NS > 0:
		return fmt.Errorf("%w: percentiles fall at %v pps; check the units of each column", ErrValue, p.LoadPPS)
	}
	return nil
}

// What Fit, Safe and Predict refuse; errors.Is tells which. The text that wraps
// them says at what load and what to do.
var (
	ErrValue         = errors.New("not a measurement")
	ErrNoLatency     = errors.New("no latency")
	ErrFewLoads      = errors.New("too few loads")
	ErrAllLost       = errors.New("all packets lost")
	ErrSaturated     = errors.New("saturated at every load")
	ErrNeverLoaded   = errors.New("never loaded")
	ErrNoModel       = errors.New("no model fits")
	ErrUnknownModel  = errors.New("unknown model")
	ErrTarget        = errors.New("not a target")
	ErrTargetTooHard = errors.New("target not reached at any load")
)

// Reason is why a model is rejected; empty is accepted.
type Reason string

// All reasons. The first four are known before a fit.
const (
	Accepted         Reason = ""
	ReasonNoLoss     Reason = "needs-loss"           // a finite queue, and nothing was lost: its room can't be seen
	ReasonUnlimited  Reason = "unlimited-queue"      // its queue has no end, and the DUT was overloaded
	ReasonArrivals   Reason = "arrivals-differ"      // it assumes arrivals that were not those offered
	ReasonFewPoints  Reason = "few-points"           // fewer measurements than the parameters need
	ReasonMisfit     Reason = "misfit"               // the differences are large
	ReasonStructured Reason = "structured-residuals" // the differences follow the load, so its curve has another shape
	ReasonPrediction Reason = "poor-prediction"      // loads that were left out are predicted badly
)

// skip says why a model is not tried. The simplest unlimited ones always are, to
// compare others with.
func (o Options) skip(name string, h hints) Reason {
	room := strings.Contains(name, "/K")
	simple := name == "M/M/1" || name == "M[X]/M/1"
	switch {
	case o.Arrival == Poisson && strings.HasPrefix(name, "D/"):
		return ReasonArrivals
	case !h.lossy && room:
		return ReasonNoLoss
	case h.overloaded && !room && !simple:
		return ReasonUnlimited
	}
	return Accepted
}
