package trial

import (
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

// workReading is a polling UPF's account of its time at one moment.
type workReading struct {
	at   time.Time
	work dut.Work
	ok   bool
}

// work reads it; a UPF that keeps none, or is too busy to report it, has none.
func (mt *meters) work() (r workReading) {
	read := mt.instance.Work
	if read == nil {
		return r
	}
	work, err := read()
	return workReading{time.Now(), work, err == nil}
}

// usefulRatio is the share of a trial in which a polling UPF moved packets, 0..1.
// The readings lie around the trial, with silence before and after: all the work
// between them was the trial's. nil: it is not known.
func usefulRatio(before, after workReading, trial time.Duration) *float64 {
	busy, total := after.work.Busy-before.work.Busy, after.work.Total-before.work.Total
	if !before.ok || !after.ok || busy < 0 || total <= 0 || trial <= 0 { // its counters were cleared
		return nil
	}
	wide := max(1, after.at.Sub(before.at).Seconds()/trial.Seconds())
	ratio := min(1, busy/total*wide)
	return &ratio
}

// usefulOr0 is 0 where it is not known.
func usefulOr0(ratio *float64) float64 {
	if ratio == nil {
		return 0
	}
	return *ratio
}

// parts divides the time of a DUT's threads into idle polling and work, where that
// is known.
func parts(list []record.Share, useful *float64) (out []record.Share) {
	for _, p := range list {
		if useful == nil || p.Name != telemetry.OwnThreads {
			out = append(out, p)
			continue
		}
		out = append(out, record.Share{Name: p.Name + ", at work", Cores: p.Cores * *useful},
			record.Share{Name: p.Name + ", idle polling", Cores: p.Cores * (1 - *useful)})
	}
	return out
}

// meter asks a UPF elsewhere for its CPU while the trial goes on: the answer may take
// milliseconds. nil comes when there is none.
func (mt *meters) meter() <-chan *dut.Meter {
	answer := make(chan *dut.Meter, 1)
	read := mt.instance.Meter
	if read == nil {
		answer <- nil
		return answer
	}
	go func() {
		now, err := read()
		if err != nil {
			answer <- nil // not reported, not shown
			return
		}
		answer <- &now
	}()
	return answer
}

// answerOf waits for an answer that was asked for.
func answerOf(c <-chan *dut.Meter) *dut.Meter {
	if c == nil {
		return nil
	}
	return <-c
}

// remoteCPU is two readings of a UPF on another machine; nil: there is none.
type remoteCPU struct{ before, after *dut.Meter }

// cpu is what it used between them; ok is false where that is not known.
func (r remoteCPU) cpu() (cpu record.CPU, ok bool) {
	if r.before == nil || r.after == nil {
		return cpu, false
	}
	wall := r.after.At.Sub(r.before.At).Seconds()
	total := r.after.Total - r.before.Total
	if wall <= 0 || total <= 0 || r.after.DUT < r.before.DUT {
		return cpu, false // it was restarted
	}
	cpu.DUTCores = (r.after.DUT - r.before.DUT).Seconds() / wall
	cpu.DUTParts = []record.Share{{Name: r.after.Source, Cores: cpu.DUTCores}}
	cpu.AtLeast = r.after.ProcessAlone
	cpu.CoreBusy = float64(r.after.Busy-r.before.Busy) / float64(total)
	return cpu, true
}

// fillElsewhere replaces this machine's figures: what the CPUs do that a UPF of ours
// would have says nothing of one that runs elsewhere. Of one whose process is known
// here the process's own time is kept.
func (m *measured) fillElsewhere(t *record.Trial, known bool) {
	cpu, ok := m.remote.cpu()
	switch {
	case ok:
		t.MemoryBytes = m.remote.after.Memory
	case known:
		cpu = ofProcess(t.CPU)
	}
	cpu.GeneratorCores = t.CPU.GeneratorCores
	t.CPU = cpu
}

// ofProcess is the time of a UPF's own threads: upflab did not place it, so that no CPU's softirqs
// are known to be its, and what is known is a lower bound.
func ofProcess(c record.CPU) record.CPU {
	own := record.CPU{AtLeast: true, UsefulRatio: c.UsefulRatio, PerCore: c.PerCore}
	for _, p := range c.DUTParts {
		if p.Name == telemetry.OwnThreads {
			own.DUTParts, own.DUTCores = []record.Share{p}, p.Cores
		}
	}
	return own
}

// power is what the machine's processors took and how busy each CPU was at one end of a
// trial.
type power struct {
	energy telemetry.Energy // nil: not shown
	cores  map[int]telemetry.Core
}

// joulesBetween is what the processors took between two readings; nil: not shown.
func joulesBetween(a, b power) *float64 {
	joules, ok := telemetry.JoulesBetween(a.energy, b.energy)
	if !ok {
		return nil
	}
	return &joules
}

func readPower() (p power) {
	p.energy, _ = telemetry.ReadEnergy()
	p.cores, _ = telemetry.Cores()
	return p
}

// energyOf is what a trial took, with the energy of a gigabit that arrived; nil where the
// machine does not show it.
func energyOf(joules *float64, seconds float64, t *record.Trial) *record.Energy {
	if joules == nil || seconds <= 0 {
		return nil
	}
	e := &record.Energy{Joules: *joules, Watts: *joules / seconds}
	e.JoulesPerGbit = perGbit(e.Watts, t)
	return e
}

// perGbit is the energy of 10^9 bits that arrived, J; 0 where nothing did. Power is of the
// whole trial, so the bits are, too.
func perGbit(watts float64, t *record.Trial) float64 {
	if t.RxPPS <= 0 || t.RxL2bps <= 0 {
		return 0
	}
	whole := t.RxL2bps / t.RxPPS * t.WholeRxPPS() // bits/s
	return watts / (whole / 1e9)
}

// perCore is how busy each CPU was, by number.
func perCore(a, b map[int]telemetry.Core) (list []record.CoreUse) {
	for id, after := range b {
		before, found := a[id]
		total := (after.Total() - before.Total()).Seconds()
		if !found || total <= 0 {
			continue
		}
		list = append(list, record.CoreUse{CPU: id, Busy: (after.Busy() - before.Busy()).Seconds() / total,
			SoftIRQ: (after.SoftIRQ - before.SoftIRQ).Seconds() / total})
	}
	slices.SortFunc(list, func(x, y record.CoreUse) int { return x.CPU - y.CPU })
	return list
}
