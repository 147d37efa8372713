package trial

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
)

// Timeline makes a trial and follows the DUT around before its traffic, during it and
// around after it. It gives the trial, too.
func (dp *Deployment) Timeline(ctx context.Context, spec Spec, around time.Duration) (line record.Timeline, t record.Trial, err error) {
	spec.Unwatched = true
	done, watched := make(chan struct{}), make(chan []instant)
	go func() { watched <- dp.instants(done) }()
	if err = wait.Pause(ctx, around); err == nil {
		if t, err = dp.Measure(ctx, spec); err == nil {
			err = wait.Pause(ctx, around)
		}
	}
	close(done)
	list := <-watched
	line = record.Timeline{Direction: t.Direction, Size: t.Size, Load: t.Load, Arrivals: t.Stream().Arrivals, DurationS: t.DurationS}
	for i := 1; i < len(list); i++ {
		line.Points = append(line.Points, momentBetween(t.Started, list[i-1], list[i]))
	}
	return line, t, err
}

// instant is one reading of all that a timeline has.
type instant struct {
	sample telemetry.Sample
	got    uint64
	memory uint64
	energy telemetry.Energy // nil: not shown
}

// instants reads until done; what cannot be read is missing.
func (dp *Deployment) instants(done <-chan struct{}) (list []instant) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		var x instant
		var err error
		if x.sample, err = telemetry.Take(dp.Subject); err == nil {
			_, x.got = dp.engine.Live()
			x.memory, _ = dp.Memory()
			x.energy, _ = telemetry.ReadEnergy()
			list = append(list, x)
		}
		select {
		case <-done:
			return list
		case <-tick.C:
		}
	}
}

// momentBetween is what happened between two readings. What was received begins at 0
// with each trial.
func momentBetween(start time.Time, a, b instant) record.Moment {
	wall := b.sample.At.Sub(a.sample.At).Seconds()
	usage := telemetry.Between(a.sample, b.sample)
	m := record.Moment{T: b.sample.At.Sub(start).Seconds(), DUTCores: usage.Cores, SwitchesPerS: usage.SwitchesPerS, MemoryBytes: b.memory}
	if wall <= 0 {
		return m
	}
	got := b.got - a.got
	if b.got < a.got {
		got = b.got
	}
	m.RxPPS = float64(got) / wall
	if joules, ok := telemetry.JoulesBetween(a.energy, b.energy); ok {
		m.Watts = joules / wall
	}
	return m
}
