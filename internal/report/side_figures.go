package report

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/record"
)

// sessionsLeast is how many sessions a rate of sessions needs to say something.
const sessionsLeast = 100

func inMpps(v float64) string { return fineMpps(v * 1e6) }
func inMiB(v float64) string  { return number(v, "%.1f") }
func inCores(v float64) string {
	if v >= 1 {
		return number(v, "%.2f")
	}
	return cores(v)
}
func inMicros(v float64) string {
	return micros(v * 1e3)
}

// sideNDR is the non-drop rate, where it was searched and found.
func sideNDR(d dutView, direction string) (sideBar, bool) {
	f := d.goalFigure(direction, goalNDR)
	if !f.Known {
		return sideBar{}, false
	}
	var sample []float64
	for _, g := range d.goals(direction, goalNDR) {
		if g.Standing == stands || f.Bound && g.Standing == standsAsBound {
			sample = append(sample, g.LowerPPS/1e6)
		}
	}
	b, found := newBar(sample, inMpps)
	b.Note, b.Bound = f.Note, f.Bound
	b.Text = bound(b.Bound, b.Text)
	return b, found
}

// sideReceived is the highest received rate of a valid load trial.
func sideReceived(d dutView, direction string) (sideBar, bool) {
	top := best(d, direction)
	if top == nil {
		return sideBar{}, false
	}
	b, found := newBar(top.group.scaledSample(rxPPS, 1e-6), inMpps)
	b.Note = fmt.Sprintf("%s, offered %s", limitNote(d.Reference, top.Limited), top.Load)
	b.Bound = top.AtLeast
	b.Text = bound(b.Bound, b.Text)
	return b, found
}

// sideCPU is what a packet costs at the highest received rate.
func sideCPU(d dutView, direction string) (sideBar, bool) {
	top := best(d, direction)
	if top == nil {
		return sideBar{}, false
	}
	b, found := newBar(top.group.scaledSample(cpuNS, 1e-3), inCores)
	b.Note = "offered " + top.Load
	if top.group.Used[0].CPU.UsefulRatio != nil {
		b.Note, b.Bound = b.Note+", it polls: idle rounds are in it", true
	}
	return b, found
}

// sideLatency is a quantile in the latency trial with the least load.
func (v view) sideLatency(of func(*record.Latency) float64) func(dutView, string) (sideBar, bool) {
	return func(d dutView, direction string) (sideBar, bool) {
		for _, load := range v.Latencies {
			r := d.row(record.KindLatency, direction, load)
			if r == nil || !r.Valid {
				continue
			}
			b, found := newBar(r.group.scaledSample(func(t *record.Trial) float64 {
				if t.Latency == nil || t.Latency.Count == 0 {
					return math.NaN()
				}
				return of(t.Latency)
			}, 1e-3), inMicros)
			b.Note = "at " + load
			return b, found
		}
		return sideBar{}, false
	}
}

// sideMemory is the most that it took in a trial.
func sideMemory(d dutView, _ string) (sideBar, bool) {
	most := uint64(0)
	for i := range d.Trials {
		most = max(most, d.Trials[i].MemoryBytes)
	}
	if most == 0 || d.Reference {
		return sideBar{}, false
	}
	b, found := newBar([]float64{float64(most) / (1 << 20)}, inMiB)
	b.Note = fmt.Sprintf("at most, %s", plural(d.Setup.Sessions, "session"))
	return b, found
}

// sideSessions is how fast it took sessions; of a few that says little.
func sideSessions(d dutView, _ string) (sideBar, bool) {
	if d.Setup.SessionsPerS <= 0 {
		return sideBar{}, false
	}
	b, found := newBar([]float64{d.Setup.SessionsPerS}, nanos)
	b.Note = "of " + plural(d.Setup.Sessions, "session")
	if b.Bound = d.Setup.Sessions < sessionsLeast; b.Bound {
		b.Text, b.Note = b.Text+" ?", b.Note+": too few to tell"
	}
	return b, found
}
