package traffic

import (
	"math"
	"math/rand/v2"
)

// ArrivalSteps is how many gaps an arrival process has before it repeats.
const ArrivalSteps = 1 << 16

// ArrivalUnit is one mean gap: gaps are multiples of the schedule's, in 1/1024.
const ArrivalUnit = 1 << 10

// Arrivals is an arrival process: ArrivalSteps gaps with a mean of exactly
// ArrivalUnit, so that the offered rate is the schedule's. nil is constant gaps.
type Arrivals []uint32

// Poisson has exponential gaps: arrivals that know nothing of each other.
func Poisson(seed uint64) Arrivals {
	r := rand.New(rand.NewPCG(seed, 1))
	a := make(Arrivals, ArrivalSteps)
	var sum float64
	exact := make([]float64, len(a))
	for i := range exact {
		exact[i] = r.ExpFloat64()
		sum += exact[i]
	}
	var total float64
	var given uint64
	for i, x := range exact { // rounds the running sum, so that errors do not add up
		total += x / sum * ArrivalSteps * ArrivalUnit
		a[i] = uint32(uint64(math.Round(total)) - given)
		given += uint64(a[i])
	}
	return a
}

// Bursts sends size frames back to back and then waits, so that the mean rate is
// kept. size is a power of two up to 4096.
func Bursts(size int) Arrivals {
	a := make(Arrivals, ArrivalSteps)
	for i := size - 1; i < len(a); i += size {
		a[i] = uint32(size * ArrivalUnit)
	}
	return a
}

// after is the time from the first slot to slot n, in units of a gap.
func (a Arrivals) after(n uint64) float64 {
	if len(a) == 0 {
		return float64(n)
	}
	var part uint64
	for _, x := range a[:n%ArrivalSteps] {
		part += uint64(x)
	}
	return float64(n-n%ArrivalSteps) + float64(part)/ArrivalUnit
}
