package queueing

// general lists the models whose service times, or gaps, are neither constant
// nor exponential.
func general(h hints, o Options) []candidate {
	fitted := o
	fitted.Service = Service{}
	all := plain(pollaczek(h, fitted))
	if o.Service.MeanNS > 0 {
		measured := pollaczek(h, o)
		measured.name = measuredService
		all = append(all, plain(measured)...)
	}
	return append(all, plain(approximate("G/G/1 Kingman", h, o, kingman), approximate("G/G/1 Marchal", h, o, marchal))...)
}

// measuredService is M/G/1 with the moments of service times that were measured without
// queueing.
const measuredService = "M/G/1 measured"

// Range of squared coefficients of variation. Below the least one, times are as
// good as constant, and their transform can no longer be inverted well.
const leastSCV, mostSCV = 0.01, 100

func serviceSCV() dimension { return free(paramSCV, "", leastSCV, mostSCV, 0.3, 1, 4) }

// pollaczek is M/G/1: with measured moments only the delay is fitted.
func pollaczek(h hints, o Options) model {
	m := model{name: "M/G/1", limit: muOf, slow: true}
	of := func(v values) gamma { return gamma{1 / v[0], v[1]} }
	m.dims = []dimension{h.mu(), serviceSCV()}
	if o.Service.MeanNS > 0 {
		known := gamma{o.Service.MeanNS * 1e-9, max(o.Service.SCV, leastSCV)}
		of, m.dims = func(values) gamma { return known }, nil
		m.limit = func(values) float64 { return 1 / known.average }
		m.rate = m.limit
	}
	m.variability = func(v values) float64 { return (1 + of(v).scv) / 2 }
	m.queue = func(load float64, v values) (law, float64) { return mg1(load, of(v)) }
	return m
}

// approximate is G/G/1: the scv of gaps is that of the arrivals where they are
// known.
func approximate(name string, h hints, o Options, wait meanWait) model {
	m := model{name: name, limit: muOf, slow: true, dims: []dimension{h.mu(), serviceSCV()}}
	gaps := func(v values) float64 { return v[len(v)-1] }
	switch {
	case o.Arrival == Poisson:
		gaps = func(values) float64 { return 1 }
	case o.Arrival == Constant:
		gaps = func(values) float64 { return 0 }
	case o.Arrival == Bursts && o.Burst > 0:
		gaps = func(values) float64 { return float64(o.Burst) }
	default:
		m.dims = append(m.dims, free(paramGapSCV, "", leastSCV, 1024, 1, 0.1, 10))
	}
	m.variability = func(v values) float64 { return (gaps(v) + v[1]) / 2 }
	m.queue = func(load float64, v values) (law, float64) {
		return gg1(load, gamma{1 / v[0], v[1]}, gaps(v), wait)
	}
	return m
}
