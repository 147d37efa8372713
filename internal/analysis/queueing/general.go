package queueing

// Range of squared coefficients of variation (scv). Below the least one, times are as
// good as constant, and their transform can no longer be inverted well.
const leastSCV, mostSCV = 0.01, 100

func serviceSCV() dimension { return free(paramSCV, "", leastSCV, mostSCV, 0.3, 1, 4) }

// generalModel is M/G/1 of Poisson arrivals, which is exact, else G/G/1. The scv of gaps is
// that of the arrivals where they are known.
func generalModel(h hints, o Options) model {
	m := model{name: "G/G/1 Kingman", limit: muOf, slow: true, dims: []dimension{h.mu(), serviceSCV()}}
	if o.Arrival == Poisson {
		m.name = "M/G/1"
		m.queue = func(load float64, v values) (law, float64) { return mg1(load, gamma{1 / v[0], v[1]}) }
		return m
	}
	gaps := func(v values) float64 { return v[len(v)-1] }
	if scv, known := gapSCV(o); known {
		gaps = func(values) float64 { return scv }
	} else {
		m.dims = append(m.dims, free(paramGapSCV, "", leastSCV, 1024, 1, 0.1, 10))
	}
	m.queue = func(load float64, v values) (law, float64) { return gg1(load, gamma{1 / v[0], v[1]}, gaps(v)) }
	return m
}

// gapSCV is that of the gaps between the arrivals, where it is known.
func gapSCV(o Options) (scv float64, known bool) {
	if o.Arrival == Bursts {
		return float64(o.Burst), o.Burst > 0
	}
	return 0, o.Arrival == Constant
}

// mg1 is Pollaczek and Khinchine's queue: the wait has the transform
// (1-busy) s / (s - load + load B(s)), and the mean of Kingman with gaps of scv 1.
func mg1(load float64, service gamma) (law, float64) {
	busy := load * service.average
	rate := complex(load, 0)
	return transformed{
		average: service.average * (1 + kingman(busy, 1, service.scv)),
		transform: func(s complex128) complex128 {
			b := service.transform(s)
			return complex(1-busy, 0) * s * b / (s - rate + rate*b)
		},
	}, 0
}

// kingman is the mean wait of a G/G/1 queue, in services, from how busy the server is
// and the scv of gaps and of service times: the heavy traffic approximation of Kingman
// 1961, which is exact for Poisson arrivals (Pollaczek and Khinchine).
func kingman(busy, gaps, service float64) float64 {
	return busy / (1 - busy) * (gaps + service) / 2
}

// gg1 takes the mean wait from an approximation; a share of packets that is how
// busy the server is waits, for an exponential time.
func gg1(load float64, service gamma, gaps float64) (law, float64) {
	busy := load * service.average
	average := service.average * kingman(busy, gaps, service.scv)
	waits, whenWaiting := complex(busy, 0), complex(average/busy, 0)
	return transformed{
		average: service.average + average,
		transform: func(s complex128) complex128 {
			return (1 - waits + waits/(1+s*whenWaiting)) * service.transform(s)
		},
	}, 0
}
