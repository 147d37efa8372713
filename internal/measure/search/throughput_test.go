package search

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

func throughput(v *device) Throughput {
	return Throughput{MinPPS: 1000, MaxPPS: 1_000_000, StepPPS: 1000, Duration: time.Minute, Limits: Limits{Now: v.now}}
}

// Whatever the capacity, the bounds are one step from each other and around it.
func TestThroughputBrackets(t *testing.T) {
	for range 500 {
		v := device{Capacity: 1000 + rand.Float64()*998_000}
		c := throughput(&v)
		c.MinPPS += rand.Uint64N(900)
		c.StepPPS = 1 + rand.Uint64N(20_000)
		r, err := c.Run(t.Context(), v.trial)
		if err != nil {
			t.Fatal(err)
		}
		g := r.Goals[0]
		if g.LowerBound == nil {
			if codeOf(g) != record.ReasonNoLowerBound || v.Capacity > float64(c.MinPPS+c.StepPPS) {
				t.Errorf("capacity %v: %+v", v.Capacity, g)
			}
			continue
		}
		lo, ok := g.Rate()
		if hi := g.UpperBound.PPS; !ok || lo > v.Capacity || hi < v.Capacity || hi-lo != float64(c.StepPPS) {
			t.Errorf("capacity %v: %v..%v by %d (%v)", v.Capacity, lo, hi, c.StepPPS, ok)
		}
		if g.ConditionalThroughput != lo || g.LimitedBy != record.LimitDUT {
			t.Errorf("capacity %v: throughput %v, limited by %q", v.Capacity, g.ConditionalThroughput, g.LimitedBy)
		}
	}
}

func TestThroughputWithoutAResult(t *testing.T) {
	for _, c := range []struct {
		name   string
		device device
		want   record.SearchReason
		err    error
	}{
		{"below the lowest load", device{Capacity: 10}, record.ReasonNoLowerBound, nil},
		{"above the highest", device{Capacity: 2e6}, record.ReasonNoUpperBound, nil},
		{"above the generator", device{Capacity: 2e6, generator: 5e5}, record.ReasonBenchLimit, nil},
		{"dies", device{Capacity: 5e5, dies: 5}, record.ReasonTrialFailed, errDied},
		{"zero packets", device{spoil: func(_ int, o *Outcome, _ float64) { *o = Outcome{Valid: true} }}, record.ReasonNothingSent, nil},
	} {
		r, err := throughput(&c.device).Run(t.Context(), c.device.trial)
		if !errors.Is(err, c.err) || r.Valid() || codeOf(r.Goals[0]) != c.want {
			t.Errorf("%s: %v, %+v", c.name, err, r.Goals[0].Reasons)
		}
	}
}

// A loss spike in one trial of three: loss verification finds the capacity where
// plain binary search does not (TST 009 clause 12.3.3).
func TestLossVerification(t *testing.T) {
	plain, verified := 0, 0
	for seed := range uint64(50) {
		for _, trials := range []int{0, 4} {
			v := device{Seed: seed, Capacity: 500_500, Spikes: 0.3, Spike: 1e-4}
			c := throughput(&v)
			c.Verification.Trials = trials
			r, err := c.Run(t.Context(), v.trial)
			if err != nil {
				t.Fatal(err)
			}
			if pps, ok := r.Goals[0].Rate(); !ok || pps != 500_000 {
				continue
			}
			if trials == 0 {
				plain++
			} else {
				verified++
			}
		}
	}
	if plain > 40 || verified < 45 {
		t.Errorf("right %d times of 50 without, %d with loss verification", plain, verified)
	}
}

// Heavy losses are not verified when z says so.
func TestLossVerificationGivesUp(t *testing.T) {
	v := device{Capacity: 500_500}
	c := throughput(&v)
	c.Verification = LossVerification{Trials: 3}
	all, err := c.Run(t.Context(), v.trial)
	if err != nil {
		t.Fatal(err)
	}
	v = device{Capacity: 500_500}
	c.Verification.GiveUp = 1_000_000
	fewer, err := c.Run(t.Context(), v.trial)
	if err != nil {
		t.Fatal(err)
	}
	if len(fewer.Trials) >= len(all.Trials) || fewer.Goals[0].LowerBound.PPS != all.Goals[0].LowerBound.PPS {
		t.Errorf("%d trials with z, %d without; %v and %v", len(fewer.Trials), len(all.Trials),
			fewer.Goals[0].LowerBound, all.Goals[0].LowerBound)
	}
}

func TestThroughputSettings(t *testing.T) {
	for name, c := range map[string]Throughput{
		"empty":        {},
		"no step":      {MinPPS: 1, MaxPPS: 10, Duration: time.Second},
		"step too far": {MinPPS: 1, MaxPPS: 10, StepPPS: 10, Duration: time.Second},
		"swapped":      {MinPPS: 10, MaxPPS: 1, StepPPS: 1, Duration: time.Second},
		"no packet":    {MinPPS: 1, MaxPPS: 10, StepPPS: 1, Duration: time.Second / 2},
		"no time":      {MinPPS: 1000, MaxPPS: 10000, StepPPS: 1},
		"loss of 1":    {MinPPS: 1, MaxPPS: 10, StepPPS: 1, Duration: time.Second, LossRatio: 1},
		"verification": {MinPPS: 1, MaxPPS: 10, StepPPS: 1, Duration: time.Second, Verification: LossVerification{Trials: -1}},
	} {
		if _, err := c.Run(t.Context(), nil); !errors.Is(err, ErrSettings) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDisturbedUpperBound: loss that the bench's own unevenness explains leaves a
// result with a doubt.
func TestDisturbedUpperBound(t *testing.T) {
	for _, c := range []struct {
		story     string
		disturbed bool
	}{{"steady", false}, {"the generator stood still", true}} {
		v := device{Capacity: 400e3, spoil: func(_ int, o *Outcome, _ float64) { o.Disturbed = c.disturbed }}
		r, err := Throughput{MinPPS: 1000, MaxPPS: 1e6, StepPPS: 100, Duration: 2 * time.Second}.Run(t.Context(), v.trial)
		if err != nil || !r.Valid() {
			t.Fatalf("%s: %v, %+v", c.story, err, r)
		}
		g := r.Goals[0]
		if got := len(g.Reasons) == 1 && g.Reasons[0].Code == record.ReasonDisturbed; got != c.disturbed {
			t.Errorf("%s: reasons %+v", c.story, g.Reasons)
		}
	}
}
