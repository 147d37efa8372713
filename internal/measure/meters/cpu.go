package meters

import (
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
func (mt *Meters) work() (r workReading) {
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

// meter asks a UPF elsewhere for its CPU while the trial goes on: the answer may take
// milliseconds. nil comes when there is none.
func (mt *Meters) meter() <-chan *dut.Meter {
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

// Remote is two readings of a UPF on another machine; nil: there is none.
type Remote struct{ Before, After *dut.Meter }

// CPU is what it used between them; ok is false where that is not known.
func (r Remote) CPU() (cpu record.CPU, ok bool) {
	if r.Before == nil || r.After == nil {
		return cpu, false
	}
	wall := r.After.At.Sub(r.Before.At).Seconds()
	total := r.After.Total - r.Before.Total
	if wall <= 0 || total <= 0 || r.After.DUT < r.Before.DUT {
		return cpu, false // it was restarted
	}
	cpu.DUTCores = (r.After.DUT - r.Before.DUT).Seconds() / wall
	cpu.DUTParts = []record.Share{{Name: r.After.Source, Cores: cpu.DUTCores}}
	cpu.AtLeast = r.After.ProcessAlone
	cpu.CoreBusy = float64(r.After.Busy-r.Before.Busy) / float64(total)
	return cpu, true
}

// Exact are the two readings, so that what lies between them is the same without a monotonic clock.
func (r Remote) Exact() [2]*dut.Meter {
	if r.Before == nil || r.After == nil {
		return [2]*dut.Meter{r.Before, r.After}
	}
	before, after := *r.Before, *r.After
	took := after.At.Sub(before.At)
	before.At = before.At.Round(0)
	after.At = before.At.Add(took)
	return [2]*dut.Meter{&before, &after}
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
