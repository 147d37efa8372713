package queueing

import (
	"fmt"
	"slices"
)

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
	// Service is what is known of service times without queueing.
	Service Service
	// Servers is how many threads of the DUT serve one queue; 0 is not known.
	Servers int
	// DelayNS fixes the delay that does not depend on load, ns; nil fits it.
	DelayNS *float64
	// Models limits the fit to these names; empty is all.
	Models []string
	// NoSimulation leaves out the simulated models. Without it they are tried,
	// for some seconds, when no other model fits.
	NoSimulation bool
	// Seed makes intervals and simulations repeatable.
	Seed uint64
	// Resamples of the bootstrap; 0 is DefaultResamples.
	Resamples int
}

// DefaultResamples gives bounds of a 95 % interval that rest on 5 draws each.
const DefaultResamples = 200

// Service is measured service times: moments, and a sample where there is one.
type Service struct {
	// MeanNS is in ns, SCV the squared coefficient of variation (variance over
	// mean squared): 1 for exponential, 0 for constant times.
	MeanNS, SCV float64
	// SampleNS, ns, is used by the simulated models.
	SampleNS []float64
}

func (o Options) check() error {
	known := Names()
	for _, name := range o.Models {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%w %q; take one of %q", ErrUnknownModel, name, known)
		}
	}
	for _, ns := range append([]float64{o.Service.MeanNS, o.Service.SCV, float64(o.Servers), float64(o.Burst)}, o.Service.SampleNS...) {
		if !(ns >= 0 && ns < 1e18) {
			return fmt.Errorf("%w: %v given of service times, servers or bursts", ErrValue, ns)
		}
	}
	if o.DelayNS != nil && !(*o.DelayNS >= 0 && *o.DelayNS < 1e18) {
		return fmt.Errorf("%w: a fixed delay of %v ns", ErrValue, *o.DelayNS)
	}
	return nil
}

// wants reports whether a model is among those asked for.
func (o Options) wants(name string) bool {
	return len(o.Models) == 0 || slices.Contains(o.Models, name)
}
