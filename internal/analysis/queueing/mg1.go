package queueing

// mg1 is Pollaczek and Khinchine's queue: the wait has the transform
// (1-busy) s / (s - load + load B(s)), the mean wait is
// busy (1+scv) / (2 (1-busy)) services.
func mg1(load float64, service gamma) (law, float64) {
	busy := load * service.average
	rate := complex(load, 0)
	return transformed{
		average: service.average * (1 + busy*(1+service.scv)/(2*(1-busy))),
		transform: func(s complex128) complex128 {
			b := service.transform(s)
			return complex(1-busy, 0) * s * b / (s - rate + rate*b)
		},
	}, 0
}

// meanWait of a G/G/1 queue, in services, from how busy the server is and the
// scv of gaps and of service times.
type meanWait func(busy, gaps, service float64) float64

// kingman is the heavy traffic approximation of Kingman 1961.
func kingman(busy, gaps, service float64) float64 {
	return busy / (1 - busy) * (gaps + service) / 2
}

// marchal is Marchal's 1976 correction of Kingman's bound: exact for M/G/1.
func marchal(busy, gaps, service float64) float64 {
	square := busy * busy
	return busy * (1 + service) * (gaps + square*service) / (2 * (1 - busy) * (1 + square*service))
}

// gg1 takes the mean wait from an approximation; a share of packets that is how
// busy the server is waits, for an exponential time.
func gg1(load float64, service gamma, gaps float64, wait meanWait) (law, float64) {
	busy := load * service.average
	average := service.average * wait(busy, gaps, service.scv)
	waits, whenWaiting := complex(busy, 0), complex(average/busy, 0)
	return transformed{
		average: service.average + average,
		transform: func(s complex128) complex128 {
			return (1 - waits + waits/(1+s*whenWaiting)) * service.transform(s)
		},
	}, 0
}
