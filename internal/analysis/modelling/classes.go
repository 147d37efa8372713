package modelling

import (
	"slices"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

// fitClasses fits models to each class of traffic of a stream and writes them and the safe
// loads into the DUT. All classes share one server: a class has its own latency and loss
// over the load of all together.
func fitClasses(d *record.DUT, s record.Stream, o Options) {
	points, options := classPoints(d, s)
	if len(points) == 0 {
		return
	}
	if slices.ContainsFunc(points, func(p queueing.Point) bool { return p.LossRatio < 1 && p.MeanNS == 0 }) {
		addProblem(d, StreamName(s)+
			": no safe load of each class, because its packets were not timed at the UPF; what it sends past the "+
			"queueing discipline is not seen there")
		return
	}
	add := func(list []record.SafeLoad) {
		d.MarkSafe(list)
		d.SafeLoads = append(d.SafeLoads, list...)
	}
	options.Models, options.Seed, options.NoSimulation = o.Models, 1, true
	for _, c := range queueing.FitClasses(points, options) {
		own := slices.DeleteFunc(slices.Clone(points), func(p queueing.Point) bool { return p.Class != c.Class })
		f := classFound{Found{Stream: s, Class: c.Class, Result: c.Result, Points: own, Err: c.Err}, shareOf(own)}
		if c.Err == nil {
			d.Models = append(d.Models, f.Models()...)
		}
		if f.modelled() {
			add(f.safeLoads(o.Targets))
			continue
		}
		addProblem(d, f.problem())
		add(f.measured(o.Targets))
	}
}

func addProblem(d *record.DUT, text string) {
	if d.Stress != nil {
		d.Stress.AddProblem(text)
	}
}

// classPoints are the classes of the valid trials of a stream.
func classPoints(d *record.DUT, s record.Stream) (points []queueing.Point, o queueing.Options) {
	for i := range d.Trials {
		t := &d.Trials[i]
		if !t.InModels() || t.Stream() != s || t.Sessions == 0 {
			continue
		}
		total := repeatedPPS(d, t)
		for _, c := range t.Classes {
			own := total * float64(c.Sessions) / float64(t.Sessions) // sessions send in turn
			p := queueing.Point{LoadPPS: own, OtherPPS: total - own, LossRatio: c.FrameLossRatio, CPUCores: t.KeptCores(),
				Packets: c.TxPackets, Class: c.Class}
			setLatency(&p, c.Latency, fewestTimed)
			points = append(points, p)
		}
		o.Arrival, o.Burst = arrivalOf(t.Arrivals)
	}
	return points, o
}

// classFound is the fit of one class, which has a share of the load of all, 0..1.
type classFound struct {
	Found
	share float64
}

func shareOf(points []queueing.Point) float64 {
	p := points[0]
	return p.LoadPPS / (p.LoadPPS + p.OtherPPS)
}

// safeLoads are those by the model, which gives the load of all together: the class's own
// is its share of it, and all of it what the class may offer alone.
func (f classFound) safeLoads(targets []record.LoadTarget) []record.SafeLoad {
	list := f.SafeLoads(targets)
	best, _ := f.Result.Best()
	for i := range list {
		x := &list[i]
		x.AlonePPS = x.PPS
		x.PPS, x.OtherPPS = f.share*x.AlonePPS, (1-f.share)*x.AlonePPS
		x.EstimatePPS, x.LowPPS, x.HighPPS = f.share*x.EstimatePPS, f.share*x.LowPPS, f.share*x.HighPPS
		if ns, _ := best.NeighbourCost(x.PPS, x.OtherPPS, 0.99); finite(ns) != nil {
			x.OtherP99NS = ns
		}
	}
	return list
}

// measured are those without a model. What the class could offer alone is not known then.
func (f classFound) measured(targets []record.LoadTarget) []record.SafeLoad {
	// of too few packets timed
	f.Points = slices.DeleteFunc(slices.Clone(f.Points), func(p queueing.Point) bool { return p.LossRatio < 1 && p.P99NS == 0 })
	list := f.measuredSafeLoads(targets)
	for i := range list {
		list[i].OtherPPS = list[i].PPS * (1 - f.share) / f.share
	}
	return list
}
