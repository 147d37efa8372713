package trial

import (
	"errors"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// readings are what changed during a trial, by every counter but the traffic's own.
type readings struct {
	started   time.Time
	seconds   float64             // between the readings at the first slot and at the last
	samples   [2]telemetry.Sample // at the first slot and at the last
	usage     telemetry.Usage     // between them
	stolen    float64             // of the CPU of the run of which the hypervisor took most, 0..1
	drops     []drop
	down      []string // links that were down, by name
	clocks    telemetry.ClockChange
	useful    *float64 // share of a polling DUT's time that was work; nil: not known
	remote    remoteCPU
	mhz       float64 // of the DUT's CPUs; 0: not known
	programNS float64
	memory    uint64               // bytes
	passages  []delayprobe.Passage // of sampled packets through the UPF
	disturbed disturbance.Summary
	lineNS    float64                   // between the generator's CPU and the UPF's and back; 0: not known
	joules    *float64                  // that the processors took; nil: not shown
	cores     [2]map[int]telemetry.Core // all CPUs, at the first slot and at the last
	queues    []record.QueueUse
	throttled telemetry.Throttling // of the control group that upflab is in
	cpuLimit  float64              // of that group, CPUs, where it was throttled; 0: none, or not known
}

// reader reads the counters around one trial: its methods are the marks of a
// schedule. Of errors the first is kept.
type reader struct {
	*meters
	direction record.Direction
	series    *recorder
	err       error

	// Read in the silence before the first slot.
	drops  counters
	links  carriers
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
	r.drops, errs[0] = r.meters.counters(r.direction)
	r.runs, errs[1] = r.meters.programRuns(r.direction)
	r.clocks, errs[2] = telemetry.ReadClocks()
	_, errs[3] = r.meters.takePassages()
	r.queues, errs[4] = r.meters.queueCounts(r.direction)
	r.note(errors.Join(errs[:]...))
	r.links = r.meters.carriers()
	r.work = r.meters.work()
	r.lineNS = r.meters.lineNS()
	if r.meters.monitor != nil {
		r.meters.monitor.Begin()
	}
}

// start is called at the first slot.
func (r *reader) start() {
	var err error
	r.started = time.Now()
	r.series.start()
	r.remoteStart = r.meters.meter()
	r.before, err = telemetry.Take(*r.meters.subject)
	r.note(err)
	r.powered[0] = readPower()
	r.throttled[0] = telemetry.ReadThrottling()
}

// end is called after the last slot.
func (r *reader) end() {
	var err error
	r.series.stop()
	r.remoteEnd = r.meters.meter()
	r.after, err = telemetry.Take(*r.meters.subject)
	r.note(err)
	r.powered[1] = readPower()
	r.throttled[1] = telemetry.ReadThrottling()
	r.mhz, _ = telemetry.FrequencyMHz(r.meters.subject.CPUs)
}

// finish reads what is read once the last packet has arrived, and gives the changes.
func (r *reader) finish() (readings, error) {
	x := readings{
		started: r.started, seconds: r.after.At.Sub(r.before.At).Seconds(),
		samples: [2]telemetry.Sample{r.before, r.after}, usage: telemetry.Between(r.before, r.after), mhz: r.mhz,
		joules: joulesBetween(r.powered[0], r.powered[1]), cores: [2]map[int]telemetry.Core{r.powered[0].cores, r.powered[1].cores},
		remote: remoteCPU{answerOf(r.remoteStart), answerOf(r.remoteEnd)},
	}
	x.stolen = x.usage.MostStolen(r.judge().runCPUs()...)
	if x.throttled = r.throttled[1].Sub(r.throttled[0]); x.throttled.Time > 0 {
		x.cpuLimit = telemetry.ReadLimits().CPUs
	}
	x.useful = usefulRatio(r.work, r.meters.work(), r.after.At.Sub(r.before.At))
	now, err := telemetry.ReadClocks()
	r.note(err)
	x.clocks = telemetry.ClocksBetween(r.clocks, now)
	after, err := r.meters.counters(r.direction)
	r.note(err)
	x.drops = dropsBetween(r.drops, after)
	if x.down = downBetween(r.links, r.meters.carriers()); len(x.down) > 0 {
		atLinksDown(x.drops)
	}
	queues, err := r.meters.queueCounts(r.direction)
	r.note(err)
	x.queues = queuesBetween(r.queues, queues)
	runs, err := r.meters.programRuns(r.direction)
	r.note(err)
	x.programNS = nsPerRun(r.runs, runs)
	x.passages, err = r.meters.takePassages()
	r.note(err)
	if r.meters.monitor != nil {
		x.disturbed = r.meters.monitor.Summary()
	}
	x.lineNS = max(r.lineNS, r.meters.lineNS())
	x.memory, err = r.meters.site.Memory(r.meters.subject.Processes())
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

// programRuns reads the statistics of the XDP programs where the direction's
// packets come in.
func (mt *meters) programRuns(d record.Direction) (sum telemetry.ProgramRuns, err error) {
	if mt.stats == nil {
		return sum, nil
	}
	for _, way := range d.Each() {
		runs, err := mt.programRunsOf(way)
		if err != nil {
			return sum, err
		}
		sum.NS += runs.NS
		sum.Count += runs.Count
	}
	return sum, nil
}

func (mt *meters) programRunsOf(d record.Direction) (telemetry.ProgramRuns, error) {
	in := mt.site.Links().Path(d).UPF
	if !in.Readable() {
		return telemetry.ProgramRuns{}, nil
	}
	id, err := in.XDPProgram()
	if err != nil || id == 0 {
		return telemetry.ProgramRuns{}, err
	}
	return telemetry.Runs(ebpf.ProgramID(id))
}
