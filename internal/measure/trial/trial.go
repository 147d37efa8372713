// Package trial measures: it brings one DUT up with everything around it, sends one
// load through it, reads every counter, and judges what came out. Which trials there
// are, and how often each is made, the package campaign decides.
package trial

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/machine/gctune"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// Spec is one trial to come.
type Spec struct {
	Kind      record.Kind // KindLoad or KindLatency
	Direction record.Direction
	Size      scenario.PacketSize
	Load      record.Load
	Duration  time.Duration
	Repeat    int
	// Draw tells trials of a search apart that have one load: their gaps differ, too.
	Draw int
	// Arrivals is the arrival process; "" means that of the scenario.
	Arrivals scenario.Arrivals
	// Burst is as many packets as fall due, as fast as possible and without a
	// warm-up.
	Burst bool
	// Soak makes it a soak, with what is known of that before.
	Soak *record.Soak
	// Warmup is the traffic before it that is not counted; 0: the scenario's. NoWarmup: none.
	Warmup   time.Duration
	NoWarmup bool
	// Step is the distance of the points of its series; 0: by its length.
	Step time.Duration
	// Unwatched trials keep no series: reading one disturbs the trial.
	Unwatched bool
	// Keep, if it is there, gets what is known of a trial under way about every
	// KeepEvery, so that a soak that is killed is not lost. It is called from another
	// goroutine, never after Measure has returned.
	Keep func(record.Trial)
	// Everything is why everything counts, whatever disturbed the machine and whatever the scenario says; "": it does
	// not.
	Everything string
	// InTime: it does not go on for the time in which the machine was disturbed.
	InTime bool
	// Wire is what wire did at the same load in the same repeat.
	Wire Wire
	// NearestNS is the least that Deployment.LineNS has been in the run; 0: not known.
	NearestNS float64
}

// Wire is what wire did at a load; zero: it was not measured.
type Wire struct {
	RxPPS     float64 // it received, packets/s
	LossRatio float64 // it lost, 0..1
}

// KeepEvery is how often a trial under way is kept.
const KeepEvery = time.Minute

// Observer follows what goes on at a DUT. Live and Point may come from another goroutine.
type Observer interface {
	// Live gives what was sent and received so far.
	Live(elapsed time.Duration, sent, received uint64)
	// Point gives each point of a series as soon as it is there.
	Point(p record.Point)
}

// silence lies at least between warm-up and trial. Counters are read in it, and the
// trial waits for that.
const silence = 20 * time.Millisecond

// garbageMost is how much of our own garbage may pile up in a trial before it is collected, octets:
// an hour's trial must not eat the machine.
const garbageMost = 256 << 20

// Measure makes one trial and judges it.
func (dp *Deployment) Measure(ctx context.Context, spec Spec) (record.Trial, error) {
	t := dp.Describe(spec)
	defer gctune.Pause(garbageMost)()
	series := dp.follow(spec, t)
	m, err := dp.send(ctx, spec, series)
	if lost := lostHost(err); lost != nil {
		t.Series = points(series.stop())
		return abandoned(t, lost), nil
	}
	if err != nil {
		t.Series = points(series.stop())
		return t, err
	}
	m.series, m.step = series.stop(), series.step
	m.known = len(dp.Subject.Processes()) > 0
	m.several = dp.several(&m.outcome)
	if t.Raw, err = dp.keepRaw(t, m); err != nil {
		return t, err
	}
	m.complete(&t, judgeOf(dp.Bench), dp.Scenario)
	return t, nil
}

// complete gives a described trial all that follows from what was measured. It reads nothing
// else, so that the same comes of the same raw data again.
func (m *measured) complete(t *record.Trial, j judge, s *scenario.Scenario) {
	t.Series = points(m.series)
	m.fill(t)
	m.fillClasses(t, s)
	if !j.ours {
		m.fillElsewhere(t, m.known)
	}
	j.decide(t, m)
	m.fillHosts(t)
	if m.spec.Soak != nil {
		m.judgeSoak(t, s.Soak, m.step)
	}
}

// Describe gives the trial what is known before it.
func (dp *Deployment) Describe(spec Spec) record.Trial {
	q := dp.engine.Sequence(spec.Size, spec.Direction)
	mean := dp.engine.Means(q)
	return record.Trial{
		Kind: spec.Kind, Direction: spec.Direction, Load: spec.Load, Arrivals: arrivalsRecord(spec, dp.Scenario),
		Repeat: spec.Repeat,
		PacketSize: record.PacketSize{
			Size: spec.Size.Name, Mixed: spec.Size.Mixed(), PayloadBytes: mean.Payload, InnerBytes: mean.Inner,
			FrameBytes: mean.Frame, Families: Families(dp.Scenario),
		},
		Sessions: dp.Scenario.Sessions, UDPFlows: udpFlows(dp.Scenario), ECN: ecnRecord(dp.Scenario), RxFrameBytes: mean.RxFrame, DurationS: spec.Duration.Seconds(),
		Lines: dp.engine.Lines(q, spec.Direction),
	}
}

// measured is everything that was read of one trial.
type measured struct {
	spec     Spec
	schedule traffic.Schedule
	outcome  traffic.Outcome
	wantedS  float64       // s, how long it lasts by its schedule
	silent   time.Duration // at the end of its schedule
	stopped  bool          // by the user; only a soak is kept then
	died     bool          // the DUT, during the trial
	known    bool          // of a DUT elsewhere: its process
	series   []Reading
	step     time.Duration // of the series
	several  *several      // nil: this host is alone
	meters.Readings
}

// send sends the trial's traffic and reads all counters around it.
func (dp *Deployment) send(ctx context.Context, spec Spec, series *recorder) (*measured, error) {
	schedule, err := dp.schedule(spec)
	if err != nil {
		return nil, err
	}
	r := dp.meters.NewReader(spec.Direction)
	outcome, err := dp.engine.Run(ctx, schedule, traffic.Marks{
		Quiet: r.Quiet,
		Start: func() { series.start(); r.Start() },
		End:   func() { series.stop(); r.End() },
	})
	m := &measured{spec: spec, schedule: schedule, outcome: outcome, wantedS: schedule.Lasts(spec.Duration).Seconds(),
		silent: max(0, spec.Duration-schedule.Lasts(spec.Duration))}
	m.stopped = ctx.Err() != nil && spec.Soak != nil && outcome.Sent > 0
	if err != nil && !m.stopped {
		return nil, err
	}
	if m.stopped {
		m.cut()
	}
	m.died = dp.Died() != nil
	m.Readings, err = r.Finish()
	if m.died {
		err = nil // it has no counters any more
	}
	return m, err
}
