package compare

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// Reading is one figure of one DUT of a result: the median over its valid repeats.
type Reading struct {
	DUT       string // name:mode
	Version   string
	Reference bool // wire
	Metric    Metric
	Key       record.Key // of the trial: its load as the scenario asks for it, of a share the share
	// Load names load, size, sessions and arrivals, so that it is the same in each run:
	// "150k, 1400 B".
	Load  string
	Value float64 // in the metric's unit
	// ByWire is Value with that of wire in the same repeat taken out: a quotient, or for
	// latency, CPU time and frame loss, which contain it, a difference; NaN: wire has no such
	// figure.
	ByWire  float64
	N       int  // repeats
	Bounded bool // something other than the DUT limited it: the DUT may do better
	// Sign is what kind of a bound reports mark it as: "≥ " of a rate that is Bounded, "≤ " of such
	// a loss, record.LatencySign of a latency; "": none.
	Sign string
}

// Readings lists all figures of a result that are valid.
func Readings(r *record.Result) (list []Reading) {
	wire := wireOf(r)
	for i := range r.DUTs {
		d := &r.DUTs[i]
		for _, g := range groupsOf(d) {
			for _, m := range Metrics() {
				if v, ok := reading(d, g, m, wire); ok {
					list = append(list, v)
				}
			}
		}
	}
	return list
}

func reading(d *record.DUT, g group, m Metric, wire *record.DUT) (Reading, bool) {
	s := sample(m, g, d.Reference)
	if !m.applies(g.Key) || s.N == 0 {
		return Reading{}, false
	}
	v := Reading{DUT: Label(d), Version: d.Version, Reference: d.Reference, Metric: m, Key: g.Valid[0].Key(),
		Load: g.stable(), Value: s.Median, ByWire: math.NaN(), N: s.N, Bounded: s.Bounded, Sign: s.Sign}
	if wire != nil && !d.Reference {
		if relative := withWire(g, wire, m.without).values(); len(relative) > 0 {
			v.ByWire = stats.Median(relative)
		}
	}
	return v, true
}

// sign is what kind of a bound a figure of trials is.
func (m Metric) sign(trials []*record.Trial, bounded bool) string {
	if m.ofLatency() {
		return record.LatencySign(trials, m.ofDistribution)
	}
	if m == CPU {
		return record.BoundSign(false, record.MostlyCPUAtLeast(trials))
	}
	return record.BoundSign(bounded && !m.HigherIsBetter(), bounded && m.HigherIsBetter())
}

// stable names the load in a way that does not depend on the others of the run.
func (g group) stable() string {
	name := g.Key.Load.String() + ", " + sizeWords(g)
	if g.Sessions > 1 {
		name += fmt.Sprintf(", %d sessions", g.Sessions)
	}
	if g.Arrivals != "" {
		name += ", " + record.ArrivalsTitle(g.Arrivals)
	}
	return name
}

// without is a UPF's figure with wire's taken out, in the metric's unit or as a ratio.
func (m Metric) without(t, w *record.Trial) float64 {
	if m.Contains() {
		return m.of(t) - m.of(w)
	}
	return m.of(t) / m.of(w)
}

// Scale turns a figure into what differences of it add up on: its logarithm, but of
// frame loss the figure itself.
func (m Metric) Scale(v float64) float64 { return m.scale(v) }

// Original turns a scaled figure back.
func (m Metric) Original(scaled float64) float64 {
	if m.Additive() {
		return scaled
	}
	return math.Exp(scaled)
}

// Change turns a difference of scaled figures into a change: a ratio, of frame loss a
// difference.
func (m Metric) Change(difference float64) float64 { return m.unscale(difference) }

// Resolution is by how much equal figures may differ on the scale, since they are
// counted or kept in buckets.
func (m Metric) Resolution() float64 { return m.resolution(BasisWire) }
