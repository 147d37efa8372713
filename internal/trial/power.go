package trial

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry"
)

// power is what the machine's processors took and how busy each CPU was at one end of a
// trial.
type power struct {
	energy telemetry.Energy // nil: not shown
	cores  map[int]telemetry.Core
}

func readPower() (p power) {
	p.energy, _ = telemetry.ReadEnergy()
	p.cores, _ = telemetry.Cores()
	return p
}

// energyOf is what a trial took, with the energy of a gigabit that arrived; nil where the
// machine does not show it.
func energyOf(a, b power, seconds float64, t *record.Trial) *record.Energy {
	joules, ok := telemetry.JoulesBetween(a.energy, b.energy)
	if !ok || seconds <= 0 {
		return nil
	}
	e := &record.Energy{Joules: joules, Watts: joules / seconds}
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
func perCore(a, b power) (list []record.CoreUse) {
	for id, after := range b.cores {
		before, found := a.cores[id]
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
