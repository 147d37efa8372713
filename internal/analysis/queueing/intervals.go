package queueing

import (
	"math"
	"math/rand/v2"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// coarseResamples is the most draws of a simulated model, or of a long queue: a safe load looks at
// some forty loads with each.
const coarseResamples = 20

// longQueue is the room, packets, from which a model takes milliseconds for a load.
const longQueue = 1000

// intervals gives an accepted model its 95 % intervals by the parametric bootstrap
// (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, 6.5): whole trials
// are drawn around its predictions with the scatter of the repeats, and fitted again.
// Models that are slow, or not chosen, are taken as linear near their best place.
func (f *Fitted) intervals(o Options, chosen bool) {
	if f.Rejected != Accepted {
		return
	}
	count := o.Resamples
	if count <= 0 {
		count = DefaultResamples
	}
	long := f.QueuePackets > longQueue
	if f.problem.coarse || long {
		count = min(count, coarseResamples)
	}
	r := rand.New(rand.NewPCG(o.Seed, uint64(len(f.Name))))
	free := float64(len(f.best.r) - len(f.best.x))
	loads := float64(len(f.problem.loads))
	scatter := max(1, math.Sqrt(f.best.cost/max(free, 1))) * math.Sqrt(loads/max(loads-float64(len(f.best.x)), 1))
	refit := f.refit
	if f.problem.slow || long || !chosen {
		refit = f.linearRefit()
	}
	for range count {
		noise := f.redrawn(scatter*estimated(loads-float64(len(f.best.x)), r), r)
		f.draws = append(f.draws, refit(noise))
	}
	f.bound()
}

// estimated is by how much a scatter that so many loads show is more or less than the true one: the root of their
// degrees of freedom over chi-squared, so that what is drawn with it is Student's.
func estimated(freedom float64, r *rand.Rand) float64 {
	n, sum := int(max(freedom, 1)), 0.0
	for range n {
		v := r.NormFloat64()
		sum += v * v
	}
	return math.Sqrt(float64(n) / sum)
}

// redrawn is what trials that were made again would differ by, in standard errors: mean, p95 and
// p99 of a load are from the same packets, and are off together; loss by itself. Where the
// model left more than the repeats of a load scatter by, that counts, and what was fitted
// took a part of the scatter away: scatter makes up for both.
func (f *Fitted) redrawn(scatter float64, r *rand.Rand) (noise []float64) {
	for _, l := range f.problem.loads {
		latency, loss := scatter*r.NormFloat64(), scatter*r.NormFloat64()
		for _, o := range l.observables {
			if o.name == Loss {
				noise = append(noise, loss)
			} else {
				noise = append(noise, latency)
			}
		}
	}
	return noise
}

// refit fits the model to its own prediction with noise, in standard errors.
func (f *Fitted) refit(noise []float64) []float64 {
	p := f.problem
	p.loads = nil
	at := 0
	for _, l := range f.problem.loads {
		drawn := load{pps: l.pps, loss: l.loss, observables: append([]observable(nil), l.observables...)}
		for i, o := range l.observables {
			drawn.observables[i].value = o.value + (f.best.r[at]+noise[at])*o.sigma
			at++
		}
		p.loads = append(p.loads, drawn)
	}
	return p.descend(p.place(f.best.x), 6).x
}

// linearRefit is refit with a model that is taken as linear.
func (f *Fitted) linearRefit() func(noise []float64) []float64 {
	jacobian := f.problem.jacobian(f.best)
	return func(noise []float64) []float64 {
		from := place{x: f.best.x, r: make([]float64, len(noise))}
		for i, v := range noise {
			from.r[i] = -v
		}
		return f.problem.step(from, jacobian, 1e-9)
	}
}

// bound sets the intervals of the parameters from the draws.
func (f *Fitted) bound() {
	columns := make([][]float64, len(f.Parameters))
	for _, x := range f.draws {
		for i, value := range f.problem.shown(x) {
			columns[i] = append(columns[i], value)
		}
	}
	for i := range f.Parameters {
		f.Parameters[i].Low, f.Parameters[i].High = interval(columns[i])
	}
}

// interval is the middle 95 % of a sample.
func interval(sample []float64) (low, high float64) {
	return stats.Percentile(sample, 2.5), stats.Percentile(sample, 97.5)
}
