package meters

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

// Readings are what changed during a trial, by every counter but the traffic's own.
type Readings struct {
	Started   time.Time
	Seconds   float64             // between the readings at the first slot and at the last
	Samples   [2]telemetry.Sample // at the first slot and at the last
	Usage     telemetry.Usage     // between them
	Stolen    float64             // of the CPU of the run of which the hypervisor took most, 0..1
	Drops     []Drop
	Down      []string // links that were down, by name
	Clocks    telemetry.ClockChange
	Useful    *float64 // share of a polling DUT's time that was work; nil: not known
	Remote    Remote
	MHz       float64 // of the DUT's CPUs; 0: not known
	ProgramNS float64
	Memory    uint64               // bytes
	Passages  []delayprobe.Passage // of sampled packets through the UPF
	Disturbed disturbance.Summary
	LineNS    float64                   // between the generator's CPU and the UPF's and back; 0: not known
	Joules    *float64                  // that the processors took; nil: not shown
	Cores     [2]map[int]telemetry.Core // all CPUs, at the first slot and at the last
	Queues    []record.QueueUse
	Throttled telemetry.Throttling // of the control group that upflab is in
	CPULimit  float64              // of that group, CPUs, where it was throttled; 0: none, or not known
}

// Reader reads the counters around one trial: its methods are the marks of a
// schedule. Of errors the first is kept.
type Reader struct {
	mt        *Meters
	direction record.Direction
	err       error

	// Read in the silence before the first slot.
	drops  Counters
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

func (r *Reader) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Quiet is called in the silence before the first slot.
func (r *Reader) Quiet() {
	var errs [5]error
	r.drops, errs[0] = r.mt.Counters(r.direction)
	r.runs, errs[1] = r.mt.ProgramRuns(r.direction)
	r.clocks, errs[2] = telemetry.ReadClocks()
	_, errs[3] = r.mt.takePassages()
	r.queues, errs[4] = r.mt.queueCounts(r.direction)
	r.note(errors.Join(errs[:]...))
	r.links = r.mt.carriers()
	r.work = r.mt.work()
	r.lineNS = r.mt.LineNS()
	if r.mt.monitor != nil {
		r.mt.monitor.Begin()
	}
}

// Start is called at the first slot.
func (r *Reader) Start() {
	var err error
	r.started = time.Now()
	r.remoteStart = r.mt.meter()
	r.before, err = telemetry.Take(*r.mt.subject)
	r.note(err)
	r.powered[0] = readPower()
	r.throttled[0] = telemetry.ReadThrottling()
}

// End is called after the last slot.
func (r *Reader) End() {
	var err error
	r.remoteEnd = r.mt.meter()
	r.after, err = telemetry.Take(*r.mt.subject)
	r.note(err)
	r.powered[1] = readPower()
	r.throttled[1] = telemetry.ReadThrottling()
	r.mhz, _ = telemetry.FrequencyMHz(r.mt.subject.CPUs)
}

// Finish reads what is read once the last packet has arrived, and gives the changes.
func (r *Reader) Finish() (Readings, error) {
	x := Readings{
		Started: r.started, Seconds: r.after.At.Sub(r.before.At).Seconds(),
		Samples: [2]telemetry.Sample{r.before, r.after}, Usage: telemetry.Between(r.before, r.after), MHz: r.mhz,
		Joules: joulesBetween(r.powered[0], r.powered[1]), Cores: [2]map[int]telemetry.Core{r.powered[0].cores, r.powered[1].cores},
		Remote: Remote{answerOf(r.remoteStart), answerOf(r.remoteEnd)},
	}
	x.Stolen = x.Usage.MostStolen(RunCPUs(r.mt.placement, r.mt.site.OwnsUPF())...)
	if x.Throttled = r.throttled[1].Sub(r.throttled[0]); x.Throttled.Time > 0 {
		x.CPULimit = telemetry.ReadLimits().CPUs
	}
	x.Useful = usefulRatio(r.work, r.mt.work(), r.after.At.Sub(r.before.At))
	now, err := telemetry.ReadClocks()
	r.note(err)
	x.Clocks = telemetry.ClocksBetween(r.clocks, now)
	after, err := r.mt.Counters(r.direction)
	r.note(err)
	x.Drops = Between(r.drops, after)
	if x.Down = downBetween(r.links, r.mt.carriers()); len(x.Down) > 0 {
		atLinksDown(x.Drops)
	}
	queues, err := r.mt.queueCounts(r.direction)
	r.note(err)
	x.Queues = queuesBetween(r.queues, queues)
	runs, err := r.mt.ProgramRuns(r.direction)
	r.note(err)
	x.ProgramNS = NSPerRun(r.runs, runs)
	x.Passages, err = r.mt.takePassages()
	r.note(err)
	if r.mt.monitor != nil {
		x.Disturbed = r.mt.monitor.Summary()
	}
	x.LineNS = max(r.lineNS, r.mt.LineNS())
	x.Memory, err = r.mt.site.Memory(r.mt.subject.Processes())
	r.note(err)
	return x, r.err
}

// NSPerRun is the mean run time of an XDP program between two readings, ns; 0: it did
// not run.
func NSPerRun(before, after telemetry.ProgramRuns) float64 {
	if after.Count <= before.Count {
		return 0
	}
	return float64(after.NS-before.NS) / float64(after.Count-before.Count)
}

// ProgramRuns reads the statistics of the XDP programs where the direction's
// packets come in.
func (mt *Meters) ProgramRuns(d record.Direction) (sum telemetry.ProgramRuns, err error) {
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

func (mt *Meters) programRunsOf(d record.Direction) (telemetry.ProgramRuns, error) {
	in := mt.site.Links().Path(d).UPF
	if !in.Readable() {
		return telemetry.ProgramRuns{}, nil
	}
	id, err := in.XDP().Program()
	if err != nil || id == 0 {
		return telemetry.ProgramRuns{}, err
	}
	return telemetry.Runs(ebpf.ProgramID(id))
}
