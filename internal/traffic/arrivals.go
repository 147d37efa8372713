package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// MaxArrivals is how many gaps an arrival process has at most before it repeats.
const MaxArrivals = 1 << 16

// ArrivalUnit is one mean gap: gaps are multiples of the schedule's, in 1/1024.
const ArrivalUnit = 1 << 10

// Arrivals is an arrival process: 1..MaxArrivals gaps, the n-th from slot n to the
// next, with a mean of exactly ArrivalUnit, so that the offered rate is the
// schedule's. It repeats from the trial's first slot on. nil is constant gaps.
type Arrivals []uint32

// Poisson has exponential gaps: arrivals independent of each other.
func Poisson(seed uint64) Arrivals {
	r := rand.New(rand.NewPCG(seed, 1))
	gaps := make([]float64, MaxArrivals)
	for i := range gaps {
		gaps[i] = r.ExpFloat64()
	}
	return relative(gaps)
}

// Bursts sends size frames back to back and then waits, so that the mean rate is
// kept. size is 1..MaxArrivals.
func Bursts(size int) Arrivals {
	a := make(Arrivals, size)
	a[size-1] = uint32(size * ArrivalUnit)
	return a
}

// OnOff sends at a steady rate for the time on, is silent for the time off, and so
// on; pps is the mean over both. A cycle has a whole number of frames, at least
// one, so that its length is on + off but for half a mean gap.
func OnOff(pps float64, on, off time.Duration) (Arrivals, error) {
	if pps <= 0 || on <= 0 || off < 0 {
		return nil, fmt.Errorf("on/off arrivals of %g packets/s, %v on and %v off: the rate and the time on have to be positive", pps, on, off)
	}
	n := max(1, math.Round(pps*(on+off).Seconds()))
	if n > MaxArrivals {
		return nil, fmt.Errorf("on/off arrivals: %.0f packets in a cycle of %v, at most %d can be sent; "+
			"shorten the cycle", n, on+off, MaxArrivals)
	}
	gaps := make([]float64, int(n))
	for i := range gaps {
		gaps[i] = on.Seconds() / n
	}
	gaps[len(gaps)-1] += off.Seconds()
	return relative(gaps), nil
}

// Gaps are those of a recording: the time from each packet to the next, scaled to
// the schedule's rate. The last is the time from the last packet to the first of
// the next round. There are 1..MaxArrivals, none negative; when all are 0 they are
// taken as equal.
func Gaps(recorded []time.Duration) (Arrivals, error) {
	if len(recorded) == 0 || len(recorded) > MaxArrivals {
		return nil, fmt.Errorf("%d gaps between packets: 1 to %d can be sent", len(recorded), MaxArrivals)
	}
	gaps := make([]float64, len(recorded))
	for i, d := range recorded {
		if d < 0 {
			return nil, fmt.Errorf("gap %d between packets is %v: packets have to be in the order of time", i, d)
		}
		gaps[i] = d.Seconds()
	}
	return relative(gaps), nil
}

// relative turns gaps into multiples of their mean. It rounds the running sum, so
// that errors do not add up.
func relative(gaps []float64) Arrivals {
	var sum float64
	for _, x := range gaps {
		sum += x
	}
	a := make(Arrivals, len(gaps))
	var total float64
	var given uint64
	for i, x := range gaps {
		if sum == 0 {
			x = 1
		}
		total += x
		a[i] = uint32(uint64(math.Round(total*scale(sum, len(gaps)))) - given)
		given += uint64(a[i])
	}
	return a
}

// scale turns a time of n gaps that add up to sum into units.
func scale(sum float64, n int) float64 {
	if sum == 0 {
		return ArrivalUnit
	}
	return float64(n) * ArrivalUnit / sum
}

// after is the time from the first slot to slot n, in units of a gap.
func (a Arrivals) after(n uint64, reshuffle bool) float64 {
	size := uint64(len(a))
	if size == 0 {
		return float64(n)
	}
	var part uint64
	for i := range int(n % size) {
		if reshuffle {
			i = Place(n/size, i)
		}
		part += uint64(a[i])
	}
	return float64(n-n%size) + float64(part)/ArrivalUnit
}

// Stride is how far the gaps of a round lie apart in a table of MaxArrivals: odd, so that
// each is met once, and seldom twice the same.
func Stride(round uint64) uint32 {
	const golden = 2654435761 // 2^32 over the golden ratio (Knuth's multiplicative hash)
	return uint32(round)*golden>>16 | 1
}

// Place is which gap of a table of MaxArrivals is the i-th of a round that is reshuffled.
func Place(round uint64, i int) int {
	return int(uint32(i) * Stride(round) % MaxArrivals)
}
