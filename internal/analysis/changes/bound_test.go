package changes

import "math/rand/v2"

// knowing is a detector that knows what Find has to estimate: the level, the noise and the
// size of the step, only its sign and time not. It is the two-sided CUSUM of Page,
// "Continuous Inspection Schemes", 1954, which no other detector beats in the mean delay at
// the same false alarms (Moustakides, "Optimal Stopping Times for Detecting Changes in
// Distributions", 1986).
type knowing struct {
	step     float64 // times the noise
	up, down float64 // logarithms of likelihood ratios
}

// evidence takes the next night, in times the noise from the level, and gives the larger of
// the two.
func (k *knowing) evidence(night float64) float64 {
	half := k.step * k.step / 2
	k.up = max(0, k.up) + k.step*night - half
	k.down = max(0, k.down) - k.step*night - half
	return max(k.up, k.down)
}

// threshold is where the detector has one false alarm in 100 nights, counted as alarms
// counts them: one within five nights of another is the same.
func (k *knowing) threshold(rng *rand.Rand, nights int) float64 {
	all := make([]float64, nights)
	for i := range all {
		all[i] = k.evidence(rng.NormFloat64())
	}
	low, high := 0.0, 20.0
	for range 30 {
		middle := (low + high) / 2
		if alarmsAbove(all, middle)*100 > nights {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func alarmsAbove(evidence []float64, threshold float64) (count int) {
	const same = 5
	last := -same - 1
	for i, e := range evidence {
		if e <= threshold {
			continue
		}
		if i-last > same {
			count++
		}
		last = i
	}
	return count
}

// mostFound is the share of steps after 30 nights, percent, that this detector finds within
// so many nights.
func mostFound(step float64, within int) float64 {
	rng, found := rand.New(rand.NewPCG(11, 12)), 0
	threshold := (&knowing{step: step}).threshold(rng, 100**series)
	for range *series {
		k := knowing{step: step}
		for range 30 {
			k.evidence(rng.NormFloat64())
		}
		for range within {
			if k.evidence(step+rng.NormFloat64()) > threshold {
				found++
				break
			}
		}
	}
	return share(found)
}
