package trial

import (
	"cmp"
	"context"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// silence lies at least between warm-up and trial. Counters are read in it, and the
// trial waits for that.
const silence = 20 * time.Millisecond

// Measure makes one trial and judges it.
func (dp *Deployment) Measure(ctx context.Context, spec Spec) (record.Trial, error) {
	t := dp.Describe(spec)
	defer pauseGC()()
	series := dp.follow(spec)
	m, err := dp.send(ctx, spec, series)
	t.Series = series.stop()
	if lost := lostHost(err); lost != nil {
		return abandoned(t, lost), nil
	}
	if err != nil {
		return t, err
	}
	m.fill(&t)
	m.fillClasses(&t, dp.Scenario)
	if !dp.site.OwnsUPF() {
		m.fillElsewhere(&t, len(dp.subject.Processes()) > 0)
	}
	dp.judge(&t, m)
	dp.fillHosts(&t, m)
	if spec.Soak != nil {
		m.judgeSoak(&t, dp.Scenario.Soak, series.step)
	}
	return t, nil
}

// Describe gives the trial what is known before it.
func (dp *Deployment) Describe(spec Spec) record.Trial {
	mean := meansOf(dp.flows, dp.sequence(spec))
	return record.Trial{
		Kind: spec.Kind, Direction: spec.Direction, Load: spec.Load, Arrivals: arrivalsRecord(spec, dp.Scenario), Repeat: spec.Repeat,
		Size: spec.Size.Name, Mixed: spec.Size.Mixed(),
		Sessions: dp.Scenario.Sessions, PayloadBytes: mean.Payload, InnerBytes: mean.Inner,
		FrameBytes: mean.Frame, RxFrameBytes: mean.RxFrame,
		DurationS: spec.Duration.Seconds(), Lines: dp.speeds.lines(dp.flows, dp.sequence(spec), spec.Direction),
	}
}

// measured is everything that was read of one trial.
type measured struct {
	spec     Spec
	schedule traffic.Schedule
	outcome  traffic.Outcome
	stopped  bool // by the user; only a soak is kept then
	died     bool // the DUT, during the trial
	readings
}

// send sends the trial's traffic and reads all counters around it.
func (dp *Deployment) send(ctx context.Context, spec Spec, series *recorder) (*measured, error) {
	schedule, err := dp.schedule(spec)
	if err != nil {
		return nil, err
	}
	r := reader{dp: dp, direction: spec.Direction, series: series}
	outcome, err := dp.engine.Run(ctx, schedule, traffic.Marks{Quiet: r.quiet, Start: r.start, End: r.end})
	m := &measured{spec: spec, schedule: schedule, outcome: outcome}
	m.stopped = ctx.Err() != nil && spec.Soak != nil && outcome.Sent > 0
	if err != nil && !m.stopped {
		return nil, err
	}
	if m.stopped {
		m.cut()
	}
	m.died = dp.ended() != nil
	m.readings, err = r.finish()
	if m.died {
		err = nil // it has no counters any more
	}
	return m, err
}

// schedule is when the trial's packets are due.
func (dp *Deployment) schedule(spec Spec) (traffic.Schedule, error) {
	s := traffic.Schedule{PPS: spec.Load.PPS, Duration: spec.Duration, Quiet: silence, Sequence: dp.sequence(spec)}
	if spec.Burst {
		s.Burst = true
		return s, nil
	}
	var err error
	if !spec.NoWarmup {
		s.Warmup = cmp.Or(spec.Warmup, dp.Scenario.Warmup.Duration)
	}
	if dp.excludes() && !spec.Everything {
		s.Excluded, s.Most, s.Least = dp.monitor.Excluded, mostTimes*spec.Duration, spec.Duration/leastPart
	}
	s.Arrivals, err = dp.arrivals(spec)
	s.Reshuffle = processOf(spec, dp.Scenario) == scenario.Poisson
	return s, err
}
