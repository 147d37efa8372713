package run

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// ownCost is what a UPF itself takes for a packet beyond the reference, ns. The interval of
// 95 % contains what the attribution of CPU time leaves open.
type ownCost struct {
	ns, low, high float64
	repeats       int
	note          string
}

// What makes CPU times of a UPF and of the reference comparable.
const (
	sameRate = 0.01 // by how much the rates that both carried may differ, as a ratio
	// batched is how much more a packet may take than at the reference's best load. Below the
	// knee a packet's share of a wake-up is most of its time: wire takes 7400 ns a packet at
	// 100 kpps where it takes 630 at 1.5 Mpps, and who works longer wakes up less often.
	batched = 1.25
	// fewThreads is the share of a UPF's CPU time that its threads may take where its BPF
	// program is taken for all of it.
	fewThreads = 0.05
)

// ownCostOf is that of a UPF: by the run time of its BPF program where that was measured, else by
// CPU time, at the same rate carried by both and above the knee of batching; each at the highest
// load at which enough repeats have it. ok is false where neither is known, or where it is not shown to be above 0.
func ownCostOf(v *view.Run, d *view.UPF, direction record.Direction) (c ownCost, ok bool) {
	reference := referenceOf(v)
	if d.Reference || reference == nil {
		return c, false
	}
	pairs := rowPairs(d, reference, direction)
	if c, ok = byProgram(pairs); !ok {
		c, ok = byCPU(pairs, best(reference, direction))
	}
	return c, ok && c.low > 0
}

// rowPair is the same load of a UPF and of the reference.
type rowPair struct{ upf, reference *view.Row }

// rowPairs lists the loads that are valid for both, the one at which most arrived first.
func rowPairs(d, reference *view.UPF, direction record.Direction) (list []rowPair) {
	for _, r := range d.Rows {
		if r.Kind != record.KindLoad || r.Direction != direction || !r.Valid() {
			continue
		}
		without := reference.Row(r.Kind, direction, r.Load)
		if without == nil || !without.Valid() {
			continue
		}
		at := 0
		for at < len(list) && list[at].upf.Stat(view.RxPPS).Median > r.Stat(view.RxPPS).Median {
			at++
		}
		list = append(list[:at], append([]rowPair{{r, without}}, list[at:]...)...)
	}
	return list
}

func referenceOf(v *view.Run) *view.UPF {
	for _, d := range v.UPFs {
		if d.Reference {
			return d
		}
	}
	return nil
}

// best is the load of the reference at which a packet takes least; nil: there is none.
func best(reference *view.UPF, direction record.Direction) (least *view.Row) {
	for _, r := range reference.Rows {
		if r.Kind != record.KindLoad || r.Direction != direction || !r.Valid() {
			continue
		}
		if ns := r.Stat(view.PacketNS); ns.N > 0 && (least == nil || ns.Median < least.Stat(view.PacketNS).Median) {
			least = r
		}
	}
	return least
}

// byProgram compares run times of BPF programs, which no batching changes.
func byProgram(pairs []rowPair) (ownCost, bool) {
	for _, p := range pairs {
		sample := beyond(p.upf.Used, p.reference.Used, view.ProgramNS)
		if len(sample) < stats.MinRepeats || threads(p.upf.Used) > fewThreads {
			continue
		}
		c := ownCost{repeats: len(sample), note: fmt.Sprintf("BPF program, offered %s", p.upf.Load)}
		c.ns, c.low, c.high = stats.MeanCI(sample, stats.Confidence)
		return c, true
	}
	return ownCost{}, false
}

// threads is the share of the CPU time that the UPF's own threads took.
func threads(trials []*record.Trial) float64 {
	own, all := 0.0, 0.0
	for _, t := range trials {
		all += t.CPU.DUTCores
		for _, part := range t.CPU.DUTParts {
			if part.Name == telemetry.OwnThreads {
				own += part.Cores
			}
		}
	}
	return own / max(all, 1e-9)
}

// byCPU compares CPU times at the highest load that qualifies. A UPF that takes longer for a
// packet has longer batches than the reference at the same rate, as the reference has at its
// best load: what the UPF takes beyond it lies between the differences to both.
func byCPU(pairs []rowPair, best *view.Row) (ownCost, bool) {
	if best == nil {
		return ownCost{}, false
	}
	for _, p := range pairs {
		at, least := p.reference.Stat(view.PacketNS).Median, best.Stat(view.PacketNS).Median
		if p.upf.Load.Max() || !sameRates(p) || p.upf.Used[0].CPU.UsefulRatio != nil || !(at <= batched*least) {
			continue
		}
		sample := beyond(p.upf.Used, p.reference.Used, view.PacketNS)
		if len(sample) < stats.MinRepeats {
			continue
		}
		c := ownCost{repeats: len(sample), note: fmt.Sprintf("offered %s", p.upf.Load)}
		c.ns, c.low, c.high = stats.MeanCI(sample, stats.Confidence)
		if most := beyond(p.upf.Used, best.Used, view.PacketNS); len(most) > 0 {
			_, _, high := stats.MeanCI(most, stats.Confidence)
			c.high = max(c.high, high)
		}
		return c, true
	}
	return ownCost{}, false
}

// sameRates reports whether both carried the same rate in each repeat.
func sameRates(p rowPair) bool {
	for _, apart := range beyond(p.upf.Used, p.reference.Used, func(t *record.Trial) float64 { return math.Log(t.RxPPS) }) {
		if math.Abs(apart) > sameRate {
			return false
		}
	}
	return true
}

// beyond are the differences of a figure by repeat.
func beyond(with, without []*record.Trial, of view.Quantity) (sample []float64) {
	for _, t := range with {
		for _, u := range without {
			if d := of(t) - of(u); t.Repeat == u.Repeat && !math.IsNaN(d) {
				sample = append(sample, d)
			}
		}
	}
	return sample
}

func barOwnCost(v *view.Run) func(*view.UPF, record.Direction) (bar, bool) {
	return func(d *view.UPF, direction record.Direction) (bar, bool) {
		c, ok := ownCostOf(v, d, direction)
		return c.bar(c.ns, c.low, c.high, units.Nanos), ok
	}
}

// barOwnRate is an estimate: the rate at which that alone would fill a core.
func barOwnRate(v *view.Run) func(*view.UPF, record.Direction) (bar, bool) {
	return func(d *view.UPF, direction record.Direction) (bar, bool) {
		c, ok := ownCostOf(v, d, direction)
		if !ok {
			return bar{}, false
		}
		c.note = "an estimate"
		b := c.bar(1e3/c.ns, 1e3/c.high, 1e3/c.low, inMpps)
		b.Hatched, b.Text = true, "~ "+b.Text
		return b, true
	}
}

func (c ownCost) bar(value, low, high float64, write units.Writer) bar {
	b := bar{Span: block.Span{Value: block.Num(value), Text: write(value), Low: block.Known(low), High: block.Known(high)}, interval: true}
	b.Range, b.RangeOf = write(low)+".."+write(high), fmt.Sprintf("95 %% interval of %d repeats", c.repeats)
	b.note(c.note, write)
	return b
}
