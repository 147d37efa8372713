package trial

import (
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
)

// meter asks a UPF elsewhere for its CPU while the trial goes on: the answer may take
// milliseconds. nil comes when there is none.
func (dp *Deployment) meter() <-chan *dut.Meter {
	answer := make(chan *dut.Meter, 1)
	read := dp.instance.Meter
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
		cpu = t.CPU
		cpu.CoreBusy = 0
	}
	cpu.GeneratorCores = t.CPU.GeneratorCores
	t.CPU = cpu
}
