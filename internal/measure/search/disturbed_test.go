package search

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// sharedMachine is a bench whose host takes the CPUs now and then. It is simulated window
// by window: packets queue before a server of a finite queue, the host stops the server in
// some windows, and those windows do not count, nor do those in which the backlog drains. A trial goes on until enough windows
// count; in a part of the trials the host comes back in the last ones, and the trial ends
// short.
type sharedMachine struct {
	random   *rand.Rand
	capacity float64 // packets/s
	queue    float64 // packets that it holds
	unsteady float64 // standard deviation of the capacity from trial to trial, relative
	disturb  float64 // chance that a window is a pause
	short    float64 // share of the trials that end short
	by       float64 // by how much they do, relative
	clock    time.Duration
}

const (
	windowS = 0.001048576
	drain   = 11 // windows
)

func (m *sharedMachine) trial(_ context.Context, pps float64, d time.Duration) (Outcome, error) {
	wanted := d.Seconds()
	if m.random.Float64() < m.short {
		wanted *= 1 - m.by
	}
	capacity := m.capacity * (1 + m.unsteady*m.random.NormFloat64())
	var o Outcome
	queued, arrived, dropped, draining := 0.0, 0.0, 0.0, 0
	for o.Seconds < wanted && o.Seconds+o.Excluded < 3*d.Seconds() {
		length := min(windowS, wanted-o.Seconds)
		paused := draining == 0 && m.random.Float64() < m.disturb
		queued += pps * length
		if !paused {
			queued -= min(queued, capacity*length)
		}
		lost := max(0, queued-m.queue)
		queued -= lost
		switch {
		case paused:
			draining = drain
		case queued == 0:
			draining = min(draining, 1)
		}
		if paused || draining > 0 { // until its backlog is gone, for ten times its length at most
			draining = max(0, draining-1)
			o.Excluded += length
			continue
		}
		o.Seconds += length
		arrived += pps * length
		dropped += lost
	}
	o.Sent, o.Lost = uint64(arrived), uint64(dropped)
	o.Intended, o.Valid = o.Sent, true
	m.clock += time.Duration((o.Seconds+o.Excluded)*1e9) + 400*time.Millisecond
	return o, nil
}

// found is what many searches came to.
type found struct {
	valid, all int
	ndr, pdr   []float64 // relative to the truth
	trials     float64
}

func (m sharedMachine) searchMany(t *testing.T, n int) (f found) {
	for seed := range uint64(n) {
		m.random, m.clock = rand.New(rand.NewPCG(seed, 7)), 0
		m.capacity = 200e3 * math.Pow(10, m.random.Float64())
		s, err := Preset(Quick)
		if err != nil {
			t.Fatal(err)
		}
		s.MinPPS, s.MaxPPS = 10e3, 3e6
		s.Limits.Now = func() time.Time { return time.Unix(0, 0).Add(m.clock) }
		s.Limits.Budget = 10 * time.Minute // validity, not speed, is what is simulated
		r, err := s.Run(t.Context(), m.trial)
		if err != nil {
			t.Fatal(err)
		}
		f.all++
		f.trials += float64(len(r.Trials))
		if !r.Valid() {
			continue
		}
		f.valid++
		ndr, _ := r.Goal(NDR)
		pdr, _ := r.Goal(PDR)
		f.ndr = append(f.ndr, ndr.LowerBound.PPS/m.capacity-1)
		f.pdr = append(f.pdr, pdr.LowerBound.PPS/(m.capacity/(1-pdrLoss))-1)
	}
	return f
}

func meanAndError(values []float64) (mean, err float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		err += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(err) / float64(len(values))
}

// Trials of which a part does not count cost no search, and move no rate: with 30 % of
// them 3 % short, and with a third of all time disturbed.
func TestSharedMachine(t *testing.T) {
	const searches = 300
	quiet := sharedMachine{queue: 50, unsteady: 0.001} // a long queue hides overload on a quiet machine alone
	reference := quiet.searchMany(t, searches)
	for name, change := range map[string]func(*sharedMachine){
		"3 % short":          func(m *sharedMachine) { m.disturb, m.short, m.by = 0.03, 0.3, 0.03 },
		"ends 10 % short":    func(m *sharedMachine) { m.disturb, m.short, m.by = 0.03, 0.3, 0.1 },
		"hardly any is left": func(m *sharedMachine) { m.disturb = 0.5 },
	} {
		m := quiet
		change(&m)
		f := m.searchMany(t, searches)
		t.Logf("%s: %d of %d valid, %.1f trials each, %.1f on a quiet machine", name, f.valid, f.all,
			f.trials/searches, reference.trials/searches)
		if f.valid < f.all*995/1000 {
			t.Errorf("%s: only %d of %d searches are valid", name, f.valid, f.all)
		}
		for _, rate := range []struct {
			name       string
			found, was []float64
		}{{NDR, f.ndr, reference.ndr}, {PDR, f.pdr, reference.pdr}} {
			mean, err := meanAndError(rate.found)
			was, wasErr := meanAndError(rate.was)
			t.Logf("%s: %s %+.3f %% +- %.3f off, %+.3f %% +- %.3f on a quiet machine", name, rate.name, 100*mean, 100*err, 100*was, 100*wasErr)
			if math.Abs(mean-was) > 3.5*math.Hypot(err, wasErr)+0.0005 {
				t.Errorf("%s: %s is %+.3f %% off, %+.3f %% on a quiet machine", name, rate.name, 100*mean, 100*was)
			}
		}
	}
}
