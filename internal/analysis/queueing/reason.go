package queueing

import "strings"

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
	simple := name == "M/M/1" || name == "M/D/1" || name == "D/M/1"
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
