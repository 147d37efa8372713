package measure

import (
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
)

// meter asks a UPF elsewhere for its CPU, beside the trial: the answer may take
// milliseconds. nil comes when there is none.
func (b *bench) meter() <-chan *dut.Meter {
	answer := make(chan *dut.Meter, 1)
	m, is := b.instance.(dut.Metered)
	if !is {
		answer <- nil
		return answer
	}
	go func() {
		now, err := m.Meter()
		if err != nil {
			answer <- nil // what is not told is not shown
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

// elsewhere is the CPU of a UPF on another machine between two readings; ok is false
// where that is not known.
func elsewhere(before, after *dut.Meter) (cpu record.CPU, ok bool) {
	if before == nil || after == nil {
		return cpu, false
	}
	wall := after.At.Sub(before.At).Seconds()
	total := after.Total - before.Total
	if wall <= 0 || total <= 0 || after.DUT < before.DUT {
		return cpu, false // it was started anew
	}
	cpu.DUTCores = (after.DUT - before.DUT).Seconds() / wall
	cpu.DUTParts = []record.Share{{Name: after.Source, Cores: cpu.DUTCores}}
	cpu.CoreBusy = float64(after.Busy-before.Busy) / float64(total)
	return cpu, true
}

// fillElsewhere puts it in place of this machine's figures: what the CPUs do that a
// UPF of ours would have says nothing of one that runs elsewhere. Of one whose process
// is known here the process's own time stays.
func (m *measured) fillElsewhere(t *record.Trial, known bool) {
	cpu, ok := elsewhere(m.meterBefore, m.meterAfter)
	switch {
	case ok:
		t.MemoryBytes = m.meterAfter.Memory
	case known:
		cpu = t.CPU
		cpu.CoreBusy = 0
	}
	cpu.GeneratorCores = t.CPU.GeneratorCores
	t.CPU = cpu
}
