package trial

import (
	"errors"
	"time"

	"github.com/upflab/upflab/internal/disturbance"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/taps"
	"github.com/upflab/upflab/internal/telemetry"
)

// readings are what changed during a trial, by every counter but the traffic's own.
type readings struct {
	started   time.Time
	seconds   float64 // between the readings at the first slot and at the last
	usage     telemetry.Usage
	stolen    float64 // of the CPU of the run of which the hypervisor took most, 0..1
	drops     []drop
	clocks    telemetry.ClockChange
	useful    *float64 // share of a polling DUT's time that was work; nil: not known
	remote    remoteCPU
	mhz       float64 // of the DUT's CPUs; 0: not known
	programNS float64
	memory    uint64         // bytes
	passages  []taps.Passage // of sampled packets through the UPF
	disturbed disturbance.Summary
	lineNS    float64  // between the generator's CPU and the UPF's and back; 0: not known
	powered   [2]power // at the first slot and at the last
	queues    []record.QueueUse
	throttled telemetry.Throttling // of the control group that upflab is in
}

// reader reads the counters around one trial: its methods are the marks of a
// schedule. Of errors the first is kept.
type reader struct {
	dp        *Deployment
	direction record.Direction
	series    *recorder
	err       error

	// Read in the silence before the first slot.
	drops  counters
	queues []queueCount
	runs   telemetry.ProgramRuns
	clocks telemetry.Clocks
	work   workReading
	lineNS float64
	// Read at the first slot and at the last.
	started                time.Time
	before, after          telemetry.Sample
	remoteStart, remoteEnd <-chan *dut.Meter
	mhz                    float64
	powered                [2]power
	throttled              [2]telemetry.Throttling
}

func (r *reader) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// quiet is called in the silence before the first slot.
func (r *reader) quiet() {
	var errs [5]error
	r.drops, errs[0] = r.dp.counters(r.direction)
	r.runs, errs[1] = r.dp.programRuns(r.direction)
	r.clocks, errs[2] = telemetry.ReadClocks()
	_, errs[3] = r.dp.takePassages()
	r.queues, errs[4] = r.dp.queueCounts(r.direction)
	r.note(errors.Join(errs[:]...))
	r.work = r.dp.work()
	r.lineNS = r.dp.LineNS()
	if r.dp.monitor != nil {
		r.dp.monitor.Begin()
	}
}

// start is called at the first slot.
func (r *reader) start() {
	var err error
	r.started = time.Now()
	r.series.start()
	r.remoteStart = r.dp.meter()
	r.before, err = telemetry.Take(r.dp.subject)
	r.note(err)
	r.powered[0] = readPower()
	r.throttled[0] = telemetry.ReadThrottling()
}

// end is called after the last slot.
func (r *reader) end() {
	var err error
	r.series.stop()
	r.remoteEnd = r.dp.meter()
	r.after, err = telemetry.Take(r.dp.subject)
	r.note(err)
	r.powered[1] = readPower()
	r.throttled[1] = telemetry.ReadThrottling()
	r.mhz, _ = telemetry.FrequencyMHz(r.dp.subject.CPUs)
}

// finish reads what is read once the last packet has arrived, and gives the changes.
func (r *reader) finish() (readings, error) {
	x := readings{
		started: r.started, seconds: r.after.At.Sub(r.before.At).Seconds(), usage: telemetry.Between(r.before, r.after), mhz: r.mhz, powered: r.powered,
		remote: remoteCPU{answerOf(r.remoteStart), answerOf(r.remoteEnd)},
	}
	x.stolen = x.usage.MostStolen(r.dp.runCPUs()...)
	x.throttled = r.throttled[1].Sub(r.throttled[0])
	x.useful = usefulRatio(r.work, r.dp.work(), r.after.At.Sub(r.before.At))
	now, err := telemetry.ReadClocks()
	r.note(err)
	x.clocks = telemetry.ClocksBetween(r.clocks, now)
	after, err := r.dp.counters(r.direction)
	r.note(err)
	x.drops = dropsBetween(r.drops, after)
	queues, err := r.dp.queueCounts(r.direction)
	r.note(err)
	x.queues = queuesBetween(r.queues, queues)
	runs, err := r.dp.programRuns(r.direction)
	r.note(err)
	x.programNS = nsPerRun(r.runs, runs)
	x.passages, err = r.dp.takePassages()
	r.note(err)
	if r.dp.monitor != nil {
		x.disturbed = r.dp.monitor.Summary()
	}
	x.lineNS = max(r.lineNS, r.dp.LineNS())
	x.memory, err = r.dp.site.Memory(r.dp.subject.Processes())
	r.note(err)
	return x, r.err
}

// nsPerRun is the mean run time of an XDP program between two readings, ns; 0: it did
// not run.
func nsPerRun(before, after telemetry.ProgramRuns) float64 {
	if after.Count <= before.Count {
		return 0
	}
	return float64(after.NS-before.NS) / float64(after.Count-before.Count)
}
