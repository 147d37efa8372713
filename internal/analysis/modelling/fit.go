package modelling

import (
	"errors"
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// Options of a fit.
type Options struct {
	Targets []record.LoadTarget
	Models  []string // limits the fit to these; empty: all
}

// Found is the fit of one stream of one DUT.
type Found struct {
	Stream record.Stream
	Class  string // of traffic; "": all packets
	Result queueing.Result
	Points []queueing.Point
	Err    error       // why there is no fit
	of     *record.DUT // nil: the points are of a table
}

// Fit fits models to each stream of a DUT, and to each of its classes of traffic, and
// writes them and the safe loads into it, in place of those that it had. Where a stress
// study has no model for a stream, its safe loads are those measured, and why is written
// next to them; all that was measured stays.
func Fit(d *record.DUT, o Options) (list []Found) {
	d.Models, d.SafeLoads = nil, nil
	forgetProblems(d)
	for _, s := range streams(d) {
		points, arrival, burst := pointsOf(d, s)
		f := fit(points, queueing.Options{Arrival: arrival, Burst: burst, Models: o.Models, ServiceNS: serviceOf(d, s)})
		f.Stream, f.of = s, d
		list = append(list, f)
		f.write(d, o)
		fitClasses(d, s, o)
	}
	for _, s := range unfitted(d) {
		addProblem(d, StreamName(s)+": no model and no safe load, because no trial was valid; see the reasons of each trial")
	}
	return list
}

// Measured reports whether the points are enough measurements, whatever models make of them.
func (f Found) Measured() bool {
	for _, err := range []error{queueing.ErrSaturated, queueing.ErrNeverLoaded, queueing.ErrAllLost} {
		if errors.Is(f.Err, err) {
			return true
		}
	}
	return f.Err == nil
}

// modelled reports whether a model was chosen.
func (f Found) modelled() bool { return f.Err == nil && f.Result.Chosen >= 0 }

// write writes the models and safe loads into the DUT.
func (f Found) write(d *record.DUT, o Options) {
	if f.Err == nil {
		d.Models = append(d.Models, f.Models()...)
	}
	if !f.modelled() {
		addProblem(d, f.problem())
	}
	if d.Stress != nil || f.Measured() {
		d.SafeLoads = append(d.SafeLoads, f.SafeLoads(o.Targets)...)
	}
}

// FitPoints fits models to points.
func FitPoints(points []queueing.Point, arrival queueing.Arrival, burst int, o Options) Found {
	return fit(points, queueing.Options{Arrival: arrival, Burst: burst, Models: o.Models})
}

func fit(points []queueing.Point, o queueing.Options) Found {
	o.Seed = 1
	r, err := queueing.Fit(points, o)
	return Found{Result: r, Points: points, Err: err}
}

// Models are the fitted models as the record has them.
func (f Found) Models() (list []record.Model) {
	for i, m := range f.Result.Models {
		x := record.Model{Direction: f.Stream.Direction, Size: f.Stream.Size, Arrivals: f.Stream.Arrivals,
			Class: f.Class, Name: m.Name, Chosen: i == f.Result.Chosen,
			Rejected: string(m.Rejected), MuPPS: m.MuPPS, QueuePackets: m.QueuePackets, AICc: finite(m.AICc),
			P99ErrorRatio: positive(m.P99ErrorRatio)}
		for _, p := range m.Parameters {
			x.Parameters = append(x.Parameters, record.ModelParameter{Name: p.Name, Unit: p.Unit, Value: p.Value, Low: p.Low, High: p.High})
		}
		if x.Chosen || m.Name == baseline {
			x.Curve, x.Residuals = f.curve(m), residuals(m)
		}
		list = append(list, x)
	}
	return list
}

// baseline is the model that others are compared with.
const baseline = "M/M/1"

// SafeLoads are the safe loads for targets: by the chosen model, or as measured where there is
// none.
func (f Found) SafeLoads(targets []record.LoadTarget) (list []record.SafeLoad) {
	defer func() { f.of.MarkSafe(list) }()
	if !f.modelled() {
		return f.measuredSafeLoads(targets)
	}
	for _, t := range targets {
		s := record.SafeLoad{Direction: f.Stream.Direction, Size: f.Stream.Size, Arrivals: f.Stream.Arrivals, Class: f.Class, Target: t}
		safe, err := f.Result.Safe(queueing.Target{LatencyNS: t.P99NS, Quantile: 0.99, LossRatio: t.LossRatio})
		if err != nil {
			s.Why = err.Error()
		} else {
			s.PPS, s.EstimatePPS, s.LowPPS, s.HighPPS = safe.LowPPS, safe.PPS, safe.LowPPS, safe.HighPPS
			s.CPUCores, s.AtLeast = safe.CPUCores, safe.AtLeast
		}
		if err == nil && s.PPS <= 0 {
			s.Why = "the interval reaches down to no load; make more repeats, or measure at lower loads"
		}
		list = append(list, s)
	}
	return list
}

// Line is the prediction at a load in one line.
func (f Found) Line(loadPPS float64) (string, error) {
	m, err := f.Result.Best()
	if err != nil {
		return "", err
	}
	p := m.Predict(loadPPS)
	if math.IsInf(p.MeanNS, 0) {
		return fmt.Sprintf("%s: overloaded, it serves %s at most", m.Name, units.Rate(m.MuPPS)), nil
	}
	return fmt.Sprintf("%s: mean %.3g µs, p95 %.3g µs, p99 %.3g µs, loss %.3g %%", m.Name, p.MeanNS/1e3, p.P95NS/1e3,
		p.P99NS/1e3, 100*p.LossRatio), nil
}

func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

func positive(v float64) *float64 {
	if v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}
