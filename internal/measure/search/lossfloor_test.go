package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// leaky is a device that loses each packet with the same chance, whatever the load, and
// what is above its capacity.
type leaky struct {
	random   *rand.Rand
	capacity float64
	chance   float64
}

func (l *leaky) trial(_ context.Context, pps float64, d time.Duration) (Outcome, error) {
	sent := math.Round(pps * d.Seconds())
	over := max(0, sent-l.capacity*d.Seconds())
	lost := over + l.binomial(sent-over)
	return Outcome{Sent: uint64(sent), Lost: uint64(lost), Seconds: d.Seconds(), Valid: true}, nil
}

// binomial draws how many of n are lost, by the gaps between them.
func (l *leaky) binomial(n float64) (lost float64) {
	if l.chance == 0 {
		return 0
	}
	for at := 0.0; ; lost++ {
		at += math.Floor(math.Log(1-l.random.Float64())/math.Log1p(-l.chance)) + 1
		if at > n {
			return lost
		}
	}
}

// A device of 300 kpps that loses one packet in 10 000 at any load has no non-drop rate:
// a search that goes down until a trial has too few packets to lose one has found nothing.
// Its partial drop rate is what it is.
func TestLossThatDoesNotDependOnLoad(t *testing.T) {
	for _, c := range []struct {
		chance float64
		least  int // of 40 searches that have no non-drop rate because of that
		most   int // of those that have one
	}{{1e-4, 36, 0}, {1e-5, 36, 0}, {0, 0, 40}} {
		floors, valid := 0, 0
		for seed := range uint64(40) {
			l := leaky{rand.New(rand.NewPCG(seed, 3)), 300e3, c.chance}
			m, err := Preset(Quick)
			if err != nil {
				t.Fatal(err)
			}
			m.MinPPS, m.MaxPPS, m.Limits.Now = 1e3, 6e6, func() time.Time { return time.Time{} }
			r, err := m.Run(t.Context(), l.trial)
			if err != nil {
				t.Fatal(err)
			}
			ndr, _ := r.Goal(NDR)
			if slices.ContainsFunc(ndr.Reasons, func(r Reason) bool { return r.Code == record.ReasonLossFloor }) {
				floors++
			}
			if pps, ok := ndr.Rate(); ok && pps < 290e3 {
				t.Errorf("one in %.0f is lost at any load: a non-drop rate of %.0f packets/s is given", 1/c.chance, pps)
			} else if ok {
				valid++
			}
			pdr, _ := r.Goal(PDR)
			if pps, ok := pdr.Rate(); !ok || math.Abs(pps/300e3-1) > 0.01 {
				t.Errorf("partial drop rate %.0f packets/s (%v): %+v", pps, ok, pdr.Reasons)
			}
		}
		if floors < c.least || valid > c.most || c.chance == 0 && valid < 40 {
			t.Errorf("chance %v: %d searches say that loss does not depend on load, %d have a non-drop rate", c.chance, floors, valid)
		}
	}
}

// So it is with a binary search.
func TestThroughputOfADeviceThatLosesAtAnyLoad(t *testing.T) {
	floors := 0
	for seed := range uint64(40) {
		l := leaky{rand.New(rand.NewPCG(seed, 3)), 300e3, 1e-4}
		r, err := Throughput{MinPPS: 100, MaxPPS: 1e6, StepPPS: 100, Duration: 2 * time.Second}.Run(t.Context(), l.trial)
		if err != nil {
			t.Fatal(err)
		}
		if codeOf(r.Goals[0]) == record.ReasonLossFloor {
			floors++
		}
	}
	if floors < 38 {
		t.Errorf("only %d of 40 searches say so", floors)
	}
}

func TestPoisson(t *testing.T) { // scipy.stats.poisson.cdf
	for _, c := range []struct{ k, mean, want float64 }{
		{0, 1.16, 0.31348618088260533}, {0, 4.6, 0.010051835744633586}, {3, 2.5, 0.7575761331330659},
		{450, 480, 0.08806}, {1900, 2000, 0.01254642429161737},
	} {
		if got := poissonAtMost(c.k, c.mean); math.Abs(got-c.want) > 1e-3*c.want+1e-3 {
			t.Errorf("at most %v of %v: %v, want %v", c.k, c.mean, got, c.want)
		}
	}
}
