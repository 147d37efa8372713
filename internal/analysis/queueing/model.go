package queueing

import (
	"fmt"
	"math"
	"slices"
)

// values are the parameters of a model, in the order of its dimensions, without
// the delay.
type values []float64

// model is one queue as a function of load and parameters. mu comes first.
type model struct {
	name string
	dims []dimension
	// queue gives sojourn time and loss ratio; load is below limit.
	queue func(load float64, v values) (law, float64)
	// limit is the load, pps, from which there is no steady state; nil: never.
	limit func(v values) float64
	// slow models take milliseconds a load. Of these, coarse ones are simulated:
	// smooth only over larger steps.
	slow, coarse bool
}

// find gives the place of a parameter, or -1.
func (m model) find(name string) int {
	for i, d := range m.dims {
		if d.name == name {
			return i
		}
	}
	return -1
}

// nearLimit is how close to its limit, as a share, an unlimited queue is
// computed. A fit sees latency rise steeply beyond, so it can find its way back.
const nearLimit = 0.9995

// at evaluates a model at any load; stable is false beyond its limit.
func (m model) at(load float64, v values) (l law, loss float64, stable bool) {
	if m.limit == nil {
		const most = 300 // beyond so many times mu nothing changes but the loss
		l, loss = m.queue(min(load, most*v[0]), v)
		if load > most*v[0] {
			loss = 1 - (1-loss)*most*v[0]/load
		}
		return l, loss, true
	}
	limit := m.limit(v)
	if load < nearLimit*limit {
		l, loss = m.queue(load, v)
		return l, loss, true
	}
	l, _ = m.queue(nearLimit*limit, v)
	return scaled{l, 1 + 2000*(load/limit-nearLimit)}, max(0, 1-limit/load), load < limit
}

// room makes a queue of whole packets one of any length between.
func room(k float64, queue func(k int) (law, float64)) (law, float64) {
	low := math.Floor(k)
	l, loss := queue(int(low))
	if share := k - low; share > 1e-9 {
		other, more := queue(int(low) + 1)
		return mixed{l, other, share}, loss + share*(more-loss)
	}
	return l, loss
}

func muOf(v values) float64 { return v[0] }

// Arrival is how the offered load was spaced.
type Arrival string

// What an Arrival can be. Unknown lets all models compete.
const (
	Unknown  Arrival = ""
	Poisson  Arrival = "poisson"
	Constant Arrival = "constant"
	Bursts   Arrival = "bursts"
)

// Options of a fit. The zero value is a good start.
type Options struct {
	Arrival Arrival
	// Burst is how many packets arrive at once when Arrival is Bursts; 0 is not
	// known, and fitted.
	Burst int
	// ServiceNS is a sample of service times without queueing, ns, from which the
	// simulated model draws; empty fits gamma times.
	ServiceNS []float64
	// Models limits the fit to these names; empty is all.
	Models []string
	// NoSimulation leaves out the simulated model. Without it that is tried, for
	// some seconds, when no other model fits.
	NoSimulation bool
	// Seed makes intervals and simulations repeatable.
	Seed uint64
	// Resamples of the bootstrap; 0 is DefaultResamples.
	Resamples int
}

// DefaultResamples gives bounds of a 95 % interval that rest on 5 draws each.
const DefaultResamples = 200

func (o Options) check() error {
	known := Names()
	for _, name := range o.Models {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%w %q; take one of %q", ErrUnknownModel, name, known)
		}
	}
	for _, ns := range append([]float64{float64(o.Burst)}, o.ServiceNS...) {
		if !(ns >= 0 && ns < 1e18) {
			return fmt.Errorf("%w: %v given of service times or bursts", ErrValue, ns)
		}
	}
	return nil
}

// wants reports whether a model is among those asked for.
func (o Options) wants(name string) bool {
	return len(o.Models) == 0 || slices.Contains(o.Models, name)
}
