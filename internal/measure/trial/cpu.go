package trial

import (
	"slices"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

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

// fillElsewhere replaces this machine's figures: what the CPUs do that a UPF of ours
// would have says nothing of one that runs elsewhere. Of one whose process is known
// here the process's own time is kept.
func (m *measured) fillElsewhere(t *record.Trial, known bool) {
	cpu, ok := m.Remote.CPU()
	switch {
	case ok:
		t.MemoryBytes = m.Remote.After.Memory
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
