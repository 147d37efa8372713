package queueing

import "math"

// dimension is one parameter of a model: its name and unit for people, its
// range, and where searches start. Times are seconds, rates pps.
type dimension struct {
	name, unit string
	from, to   float64
	starts     []float64
	linear     bool // else searched on a logarithmic scale; from is over 0
}

// Names of parameters.
const (
	paramMu       = "mu"
	paramQueue    = "queue"
	paramSCV      = "service_scv"
	paramGapSCV   = "arrival_scv"
	paramBatch    = "batch"
	paramWake     = "wake"
	paramPatience = "patience"
	paramDelay    = "delay"
)

// inside maps a value to the scale of the search, outside maps it back.
func (d dimension) inside(value float64) float64 {
	value = min(max(value, d.from), d.to)
	if d.linear {
		return (value - d.from) / (d.to - d.from)
	}
	return math.Log(value)
}

func (d dimension) outside(x float64) float64 {
	if d.linear {
		return d.from + min(max(x, 0), 1)*(d.to-d.from)
	}
	return min(max(math.Exp(x), d.from), d.to)
}

// hints is what the measurement says at a glance: where the search starts.
type hints struct {
	throughput float64 // the most that came through, pps
	highest    float64 // load, pps
	least      float64 // the shortest latency, s
	longest    float64 // the longest mean latency, s
	lossy      bool
	overloaded bool // so far that no unlimited queue is accepted
}

func newHints(loads []load) hints {
	h := hints{least: math.Inf(1)}
	for _, l := range loads {
		h.highest = max(h.highest, l.pps)
		h.throughput = max(h.throughput, l.pps*(1-l.loss))
		h.lossy = h.lossy || l.loss > lossFloor
		h.overloaded = h.overloaded || l.loss > MaxLossError*math.Sqrt(float64(len(loads)))
		for i, o := range l.observables {
			if o.name == Loss {
				continue
			}
			h.least = min(h.least, math.Exp(o.value)*1e-9)
			if i == 0 {
				h.longest = max(h.longest, math.Exp(o.value)*1e-9)
			}
		}
	}
	return h
}

func (h hints) mu() dimension {
	d := dimension{name: paramMu, unit: "pps", from: 0.5 * h.throughput, to: 1e3 * h.highest}
	d.starts = []float64{1.003 * h.throughput, 1.05 * h.throughput, 1.4 * h.throughput, 4 * h.throughput}
	return d
}

func (h hints) queue() dimension {
	guess := min(max(h.throughput*(h.longest-h.least), 3), maxQueue/2)
	return dimension{name: paramQueue, unit: "packets", from: 1, to: maxQueue, starts: []float64{guess, guess * 1.3, 4 * guess}}
}

// maxQueue is the longest queue that is fitted, packets.
const maxQueue = 1 << 14

func (h hints) delay() dimension {
	return dimension{name: paramDelay, unit: "s", from: 0, to: h.least, starts: []float64{h.least / 2, h.least / 50}, linear: true}
}

func free(name, unit string, from, to float64, starts ...float64) dimension {
	return dimension{name: name, unit: unit, from: from, to: to, starts: starts}
}
