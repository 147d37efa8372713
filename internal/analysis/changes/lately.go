package changes

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/stats"
)

const (
	// Bad is how many bad values in a row are none that stay: a machine may be slow for some nights, and be what it
	// was again. A level counts from one more on.
	Bad = 3
	// before is how many values a level must have for others to be told from it.
	before = 8
	// stays is how much of the rise its values have without the bad ones.
	stays = 0.75
)

// Rise is how much higher the newest values are than those before.
type Rise struct {
	P  float64 // the probability of so much or more at one level, 0..1; 1: it does not stay, or cannot be told
	At int     // the first value of the new level
	By float64
}

// Lately says whether the level has risen within the last values, at most so many, by more than nights that repeat
// each other do at one level. It tests each border that leaves more than Bad values behind it, and gives the one with
// the least probability, times their number (Bonferroni). Floor is the resolution of the values.
//
// Noise is autoregressive of order 1, and how much a night repeats of the one before is not estimated, which a
// few tens of nights cannot do: the probability is the mean over all that it may be, each by how likely it
// makes the values (Box and Tiao, "Bayesian Inference in Statistical Analysis", 1973, 2.5).
func Lately(y []float64, last int, floor float64) Rise {
	least := Rise{P: 1}
	if len(y) < last+before {
		last = len(y) - before
	}
	borders := last - Bad
	if borders <= 0 {
		return least
	}
	old := Find(y[:len(y)-last], floor).Segments
	from := min(old[len(old)-1].From, len(y)-last-before) // what was before an earlier change is another level
	noise := longRun(autocorrelation(y[:len(y)-last])) * successiveNoise(y)
	quiet := clip(y, max(noise, floor, math.SmallestNonzeroFloat32))
	for at := len(y) - last; at < len(y)-Bad; at++ {
		level, newer := quiet[from:at], y[at:]
		by := mean(newer) - mean(level)
		if by <= floor || withoutBad(newer)-mean(level) < stays*by {
			continue
		}
		if p := float64(borders) * risen(level, newer, floor); p < least.P {
			least = Rise{P: p, At: at, By: by}
		}
	}
	return least
}

// withoutBad is the mean without the highest values in a row that are none that stay.
func withoutBad(y []float64) float64 {
	least := math.Inf(1)
	for from := 0; from+Bad <= len(y); from++ {
		least = min(least, mean(slices.Concat(y[:from], y[from+Bad:])))
	}
	return least
}

// risen is the probability that values after others of one level are so much higher.
func risen(level, newer []float64, floor float64) (p float64) {
	const steps, most = 20, 0.95 // of what a night repeats
	logs, tails := make([]float64, steps), make([]float64, steps)
	for i := range steps {
		logs[i], tails[i] = step(level, newer, most*float64(i)/(steps-1), floor)
	}
	total, best := 0.0, slices.Max(logs)
	for i, log := range logs {
		weight := math.Exp(log - best)
		total += weight
		p += weight * tails[i]
	}
	return p / total
}

// step fits a level and a step by least squares, of values that repeat a part of the one before: the logarithm of how
// likely it makes them, and the probability of such a step where there is none.
func step(level, newer []float64, part, floor float64) (log, tail float64) {
	y := slices.Concat(level, newer)
	origin := mean(level)
	var oo, os, ss, oy, sy, yy float64 // sums of products of one, step and value, whitened
	for i := range y {
		one, up, v := 1.0, 0.0, y[i]-origin
		if i >= len(level) {
			up = 1
		}
		if i == 0 {
			w := math.Sqrt(1 - part*part)
			one, up, v = w*one, w*up, w*v
		} else {
			previous := 0.0
			if i > len(level) {
				previous = 1
			}
			one, up, v = one-part, up-part*previous, v-part*(y[i-1]-origin)
		}
		oo, os, ss = oo+one*one, os+one*up, ss+up*up
		oy, sy, yy = oy+one*v, sy+up*v, yy+v*v
	}
	determinant, freedom := oo*ss-os*os, float64(len(y)-2)
	by, base := (oo*sy-os*oy)/determinant, (ss*oy-os*sy)/determinant
	rest := max(yy-base*oy-by*sy, freedom*max(floor*floor*(1-part*part), 1e-24))
	log = (math.Log(1-part*part) - math.Log(determinant) - freedom*math.Log(rest)) / 2
	return log, stats.Tail((by-floor)/math.Sqrt(rest/freedom*oo/determinant), freedom)
}
