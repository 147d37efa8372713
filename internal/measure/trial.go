package measure

import (
	"context"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry"
	"github.com/upflab/upflab/internal/traffic"
)

// silence lies at least between warm-up and trial. Counters are read in it, and the
// trial waits for that.
const silence = 20 * time.Millisecond

// trial runs the n-th trial of the run.
func (r *run) trial(ctx context.Context, b *bench, n int, spec trialSpec) (record.Trial, error) {
	r.observer.Begin(n, b.label, b.describe(spec))
	t, err := r.try(ctx, b, spec)
	if err == nil {
		r.observer.End(n, b.label, t)
	}
	return t, err
}

// tries is how often a trial is made at most that the host spoils: on a shared machine
// most such disturbances pass.
const tries = 3

// try makes a trial, and again when the host spoilt it. The last one stands, whatever
// it is, and tells of those before.
func (r *run) try(ctx context.Context, b *bench, spec trialSpec) (record.Trial, error) {
	var before []string
	for n := 1; ; n++ {
		t, err := r.measureTrial(ctx, b, spec)
		spoilt := err == nil && !t.Valid && t.LimitedBy == record.LimitHost
		if !spoilt || n == tries || b.alive() != nil {
			t.Reasons = append(t.Reasons, before...)
			return t, err
		}
		if len(t.Reasons) > 0 {
			before = append(before, "made again, for before "+t.Reasons[0])
		}
	}
}

// measureTrial runs one trial and judges it, and tells nobody.
func (r *run) measureTrial(ctx context.Context, b *bench, spec trialSpec) (record.Trial, error) {
	t := b.describe(spec)
	defer undisturbed()()
	recorder := b.record(spec, r.observer)
	m, err := b.measure(ctx, spec, recorder)
	t.Series = recorder.stop()
	if err != nil {
		return t, err
	}
	m.fill(&t)
	if !b.site.OwnsUPF() {
		m.fillElsewhere(&t, len(b.subject.PIDs) > 0)
	}
	r.judge(&t, b, m)
	if spec.soak != nil {
		m.judgeSoak(&t, b.scenario.Soak, recorder.step)
	}
	return t, nil
}

// describe gives the trial what is known before it.
func (b *bench) describe(spec trialSpec) record.Trial {
	mean := meansOf(b.flows, b.sequence(spec))
	return record.Trial{
		Kind: spec.kind, Direction: spec.direction, Load: spec.load, Repeat: spec.repeat,
		Size: spec.size.Name, Mixed: spec.size.Mixed(),
		Sessions: b.scenario.Sessions, PayloadBytes: mean.payload, InnerBytes: mean.inner,
		FrameBytes: mean.frame, RxFrameBytes: mean.rxFrame,
		DurationS: spec.duration.Seconds(),
	}
}

// measured is everything that was read of one trial.
type measured struct {
	spec     trialSpec
	schedule traffic.Schedule
	stopped  bool // by the user; only a soak is kept then
	started  time.Time
	outcome  traffic.Outcome
	usage    telemetry.Usage
	places   []place
	clocks   telemetry.ClockChange
	useful   *float64
	// meterBefore and meterAfter are of a UPF elsewhere that tells its CPU.
	meterBefore, meterAfter *dut.Meter
	mhz                     float64 // of the DUT's CPUs; 0: not told
	programNS               float64
	memory                  uint64
	died                    bool
}

// measure sends the trial's traffic and reads all counters around it.
func (b *bench) measure(ctx context.Context, spec trialSpec, rec *recorder) (*measured, error) {
	schedule, err := b.schedule(spec)
	if err != nil {
		return nil, err
	}
	m := &measured{spec: spec, schedule: schedule}
	var before, after telemetry.Sample
	var counters counters
	var runs telemetry.ProgramRuns
	var clocks telemetry.Clocks
	var work workReading
	var meterBefore, meterAfter <-chan *dut.Meter
	var failed error
	note := func(err error) {
		if err != nil && failed == nil {
			failed = err
		}
	}
	quiet := func() {
		var err error
		counters, err = b.counters(spec.direction)
		note(err)
		runs, err = b.programRuns(spec.direction)
		note(err)
		clocks, err = telemetry.ReadClocks()
		note(err)
		work = b.work()
	}
	start := func() {
		var err error
		m.started = time.Now()
		rec.start()
		meterBefore = b.meter()
		before, err = b.site.Usage(b.subject)
		note(err)
	}
	end := func() {
		var err error
		rec.stop()
		meterAfter = b.meter()
		after, err = b.site.Usage(b.subject)
		note(err)
		m.mhz, _ = telemetry.FrequencyMHz(b.subject.CPUs)
	}
	m.outcome, err = b.engine.Run(ctx, m.schedule, traffic.Marks{Quiet: quiet, Start: start, End: end})
	m.stopped = ctx.Err() != nil && spec.soak != nil && m.outcome.Sent > 0
	if err != nil && !m.stopped {
		return nil, err
	}
	if m.stopped {
		m.cut()
	}
	m.died = b.alive() != nil
	if failed != nil && !m.died {
		return nil, failed
	}
	m.usage = telemetry.Between(before, after)
	m.meterBefore, m.meterAfter = answerOf(meterBefore), answerOf(meterAfter)
	now, err := telemetry.ReadClocks()
	if err != nil {
		return nil, err
	}
	m.clocks = telemetry.ClocksBetween(clocks, now)
	m.useful = usefulRatio(work, b.work(), after.At.Sub(before.At))
	return m, b.finish(m, counters, runs)
}

// schedule is when the trial's packets are due.
func (b *bench) schedule(spec trialSpec) (traffic.Schedule, error) {
	s := traffic.Schedule{PPS: spec.load.PPS, Duration: spec.duration, Quiet: silence, Sequence: b.sequence(spec)}
	if spec.burst {
		s.Burst = true
		return s, nil
	}
	var err error
	s.Warmup = b.scenario.Warmup.Duration
	s.Arrivals, err = b.arrivals(spec.load)
	return s, err
}

// finish reads what changed during the trial. A DUT that died has no counters
// any more.
func (b *bench) finish(m *measured, before counters, runsBefore telemetry.ProgramRuns) error {
	after, err := b.counters(m.spec.direction)
	if err != nil && !m.died {
		return err
	}
	m.places = places(before, after)
	runs, err := b.programRuns(m.spec.direction)
	if err != nil && !m.died {
		return err
	}
	if n := runs.Count - runsBefore.Count; n > 0 && runs.Count > runsBefore.Count {
		m.programNS = float64(runs.NS-runsBefore.NS) / float64(n)
	}
	m.memory, err = b.site.Memory(b.subject.PIDs)
	if m.died {
		return nil
	}
	return err
}

// programRuns reads the statistics of the XDP programs where the direction's
// packets come in.
func (b *bench) programRuns(d record.Direction) (sum telemetry.ProgramRuns, err error) {
	if b.stats == nil {
		return sum, nil
	}
	for _, way := range d.Ways() {
		runs, err := b.programRunsOf(way)
		if err != nil {
			return sum, err
		}
		sum.NS += runs.NS
		sum.Count += runs.Count
	}
	return sum, nil
}

func (b *bench) programRunsOf(d record.Direction) (telemetry.ProgramRuns, error) {
	in := b.site.Links().Path(d).UPF
	id, err := in.XDPProgram()
	if err != nil || id == 0 {
		return telemetry.ProgramRuns{}, err
	}
	return telemetry.Runs(ebpf.ProgramID(id))
}
