package run

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// sessionsLeast is how many sessions a rate of sessions rests on at least.
const sessionsLeast = 100

func inMpps(v float64) string    { return units.FineMpps(v * 1e6) }
func inPercent(v float64) string { return units.Number(v, "%.3g") }
func inMiB(v float64) string     { return units.Number(v, "%.1f") }
func inMicros(v float64) string  { return units.Micros(v * 1e3) }
func inCores(v float64) string {
	if v >= 1 {
		return units.Number(v, "%.2f")
	}
	return units.Cores(v)
}

// barNDR is the non-drop rate, where it was searched and found.
func barNDR(d *view.UPF, direction record.Direction) (bar, bool) {
	f := d.Goal(direction, record.GoalNDR)
	if !f.Known {
		return bar{}, false
	}
	var sample []float64
	for _, g := range f.Used {
		sample = append(sample, g.LowerPPS/1e6)
	}
	b, found := newBar(sample, inMpps)
	b.note(f.Note, inMpps)
	b.Hatched, b.Text = f.Bound, view.AtLeast(f.Bound, b.Text)
	return b, found
}

// barReceived is the highest received rate of a valid load trial.
func barReceived(d *view.UPF, direction record.Direction) (bar, bool) {
	top := d.Best(direction)
	if top == nil {
		return bar{}, false
	}
	b, found := newBar(top.Sample(view.RxPPS, 1e-6), inMpps)
	b.note(fmt.Sprintf("%s, offered %s", view.LimitNote(d.Reference, top.Limit()), top.Load.String()), inMpps)
	b.Hatched, b.Text = top.Bound(), view.AtLeast(top.Bound(), b.Text)
	return b, found
}

// barLoss is how much is lost at the highest received rate.
func barLoss(d *view.UPF, direction record.Direction) (bar, bool) {
	top := d.Best(direction)
	if top == nil {
		return bar{}, false
	}
	b, found := newBar(top.Sample(view.Loss, 100), inPercent)
	b.note("offered "+top.Load.String(), inPercent)
	return b, found
}

// barCPU is what a packet costs at the highest received rate.
func barCPU(d *view.UPF, direction record.Direction) (bar, bool) {
	top := d.Best(direction)
	if top == nil {
		return bar{}, false
	}
	b, found := newBar(top.Sample(view.PacketNS, 1e-3), inCores)
	b.Text = view.AtLeast(record.MostlyCPUAtLeast(top.Used), b.Text)
	note := "offered " + top.Load.String()
	if b.Hatched = top.Used[0].CPU.UsefulRatio != nil; b.Hatched {
		note += ", it polls: idle rounds are included"
	}
	b.note(note, inCores)
	return b, found
}

// barLatency is a quantile in the latency trial with the least load.
func barLatency(of func(*record.Latency) float64) func(*view.UPF, record.Direction) (bar, bool) {
	return func(d *view.UPF, direction record.Direction) (bar, bool) {
		r := d.Lowest(direction)
		if r == nil {
			return bar{}, false
		}
		b, found := newBar(r.Sample(view.LatencyOf(of), 1e-3), inMicros)
		b.sign = r.LatencySign(of)
		b.Text = b.sign + b.Text
		b.note("at "+r.Load.String(), inMicros)
		return b, found
	}
}

// barMemory is the most that it took in a trial.
func barMemory(d *view.UPF, _ record.Direction) (bar, bool) {
	if d.Memory() == 0 || d.Reference {
		return bar{}, false
	}
	b, found := newBar([]float64{float64(d.Memory()) / (1 << 20)}, inMiB)
	b.Note = "at most, " + units.Plural(d.Setup.Sessions, "session")
	return b, found
}

// barSessions is how fast it took sessions.
func barSessions(d *view.UPF, _ record.Direction) (bar, bool) {
	if d.Setup.SessionsPerS <= 0 || d.Setup.Sessions < sessionsLeast {
		return bar{}, false
	}
	b, found := newBar([]float64{d.Setup.SessionsPerS}, units.Nanos)
	b.Note = "of " + units.Plural(d.Setup.Sessions, "session")
	return b, found
}
