package queueing

import "math"

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
	// rate is how fast the DUT serves, pps; nil is mu.
	rate func(v values) float64
	// variability is (ca²+cs²)/2, what multiplies the wait in heavy traffic: 1 for
	// M/M/1, 0.5 for M/D/1, the mean batch for geometric batches.
	variability func(v values) float64
	// slow models take milliseconds a load. Of these, coarse ones are simulated:
	// smooth only over larger steps.
	slow, coarse bool
}

func (m model) mu(v values) float64 {
	if m.rate != nil {
		return m.rate(v)
	}
	return v[0]
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

func always(variability float64) func(values) float64 {
	return func(values) float64 { return variability }
}
