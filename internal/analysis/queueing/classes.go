package queueing

import "slices"

// ClassResult is the fit of one class of traffic; Err is set where its points do
// not allow one.
type ClassResult struct {
	Class  string
	Result Result
	Err    error
}

// FitClasses fits each class of the points, in order of their names. Where
// classes share a server, set OtherPPS of each point to the load of the other
// classes.
func FitClasses(points []Point, o Options) []ClassResult {
	by := map[string][]Point{}
	var names []string
	for _, p := range points {
		if by[p.Class] == nil {
			names = append(names, p.Class)
		}
		by[p.Class] = append(by[p.Class], p)
	}
	slices.Sort(names)
	var all []ClassResult
	for _, name := range names {
		r, err := Fit(by[name], o)
		all = append(all, ClassResult{name, r, err})
	}
	return all
}

// NeighbourCost is what a load of others on the same server, pps, adds to the
// latency that a share p of a class's packets, 0..1, does not exceed, ns; and to
// its loss ratio.
func (f Fitted) NeighbourCost(loadPPS, otherPPS, p float64) (ns, loss float64) {
	ns = f.QuantileNS(loadPPS+otherPPS, p) - f.QuantileNS(loadPPS, p)
	return ns, f.Predict(loadPPS+otherPPS).LossRatio - f.Predict(loadPPS).LossRatio
}
