// Package figure names the figures of a result, for what asks for them by name:
// thresholds, exports. Its functions are pure.
package figure

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/spelling"
)

// Unit is that of a figure's values.
type Unit string

// The units. A ratio is 0..1.
const (
	PPS     Unit = "packets/s"
	BPS     Unit = "bit/s"
	Nanos   Unit = "ns"
	Seconds Unit = "s"
	Ratio   Unit = "ratio"
	Count   Unit = "count"
	Bytes   Unit = "bytes"
	Cores   Unit = "cores"
	Rate    Unit = "1/s"
	Joules  Unit = "J/Gbit"
	// PacketJoules is energy for each packet.
	PacketJoules Unit = "J/packet"
)

// Figure is one kind of number that a result has.
type Figure struct {
	Name string // "latency.p99"
	Unit Unit
	Doc  string // what it is, a phrase
	// Bench is true of figures that the bench, too, can hold back: they say something of
	// the DUT only where nothing else limited the trial.
	Bench bool
	// Offered is true of rates that can be no higher than the load.
	Offered bool
	// Unloaded is true of figures that say little at an unpaced load, where they depend on
	// what the generator sends: latency and loss.
	Unloaded bool
	// AnySpeed is true of figures that say what was done, however fast the machine is.
	AnySpeed bool

	trial  func(*record.Trial) float64 // NaN: it was not measured
	search func(*record.Search) float64
	flow   func(*record.AppFlow) float64
	dut    func(*record.DUT) float64
	// bounds are why the figure of a trial is at most, or at least, what was measured; "": it
	// is that. nil: it always is.
	bounds func(*record.Trial) (atMost, atLeast string)
	// dutAtLeast is why the figure of a DUT is a lower bound; "": it is none. nil: it never is.
	dutAtLeast func(*record.DUT) string

	counted func(*record.Instructions) float64
	control func(*record.ControlPlane) []Sample
}

// OfSpeed reports whether a figure depends on how fast the machine is, as also how many are lost does.
func (f Figure) OfSpeed() bool { return !f.AnySpeed }

// Searched reports whether a search finds the figure.
func (f Figure) Searched() bool { return f.search != nil }

// Of finds a figure by its name.
func Of(name string) (Figure, bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}

// Hint is up to three names near a mistyped one, for an error; "" when none is near.
func Hint(name string) string {
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
	}
	return spelling.DidYouMean(name, names)
}

// All lists the figures, in the order of a reference.
func All() []Figure {
	var all []Figure
	for _, list := range [][]Figure{ofTrials(), ofSearches(), ofFlows(), ofControl(), ofInstructions(), ofDUTs()} {
		all = append(all, list...)
	}
	return all
}

// none is a value that was not measured.
func none() float64 { return math.NaN() }

// positive takes 0 as not measured.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return none()
}
