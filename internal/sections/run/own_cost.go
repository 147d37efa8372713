package run

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/sections/view"
	"github.com/upflab/upflab/internal/units"
)

// ownCost is what a UPF itself takes for a packet: its CPU time less that of the
// reference in the same repeat at the same load. What the links, the sink and the
// generator's memory cost that CPU is in both.
func ownCost(v *view.Run, d *view.UPF, direction record.Direction) (sample []float64, at *view.Row) {
	reference := referenceOf(v)
	if d.Reference || reference == nil {
		return nil, nil
	}
	for _, r := range d.Rows {
		if r.Kind != record.KindLoad || r.Direction != direction || !r.Valid() || r.Used[0].CPU.UsefulRatio != nil {
			continue
		}
		without := reference.Row(r.Kind, direction, r.Load)
		if without == nil || !without.Valid() || at != nil && at.Stat(view.RxPPS).Median > r.Stat(view.RxPPS).Median {
			continue
		}
		if pairs := beyond(r.Used, without.Used); len(pairs) > 0 {
			sample, at = pairs, r
		}
	}
	return sample, at
}

func referenceOf(v *view.Run) *view.UPF {
	for _, d := range v.UPFs {
		if d.Reference {
			return d
		}
	}
	return nil
}

// beyond are the differences by repeat, ns a packet.
func beyond(with, without []*record.Trial) (sample []float64) {
	for _, t := range with {
		for _, u := range without {
			if d := view.PacketNS(t) - view.PacketNS(u); t.Repeat == u.Repeat && !math.IsNaN(d) {
				sample = append(sample, d)
			}
		}
	}
	return sample
}

func barOwnCost(v *view.Run) func(*view.UPF, record.Direction) (bar, bool) {
	return func(d *view.UPF, direction record.Direction) (bar, bool) {
		sample, at := ownCost(v, d, direction)
		b, found := newBar(sample, units.Nanos)
		if found {
			b.note("offered "+at.Load.String(), units.Nanos)
		}
		return b, found
	}
}

// barOwnRate is an estimate: the rate at which that alone would fill a core.
func barOwnRate(v *view.Run) func(*view.UPF, record.Direction) (bar, bool) {
	return func(d *view.UPF, direction record.Direction) (bar, bool) {
		costs, _ := ownCost(v, d, direction)
		var rates []float64
		for _, ns := range costs {
			if ns <= 0 {
				return bar{}, false // not more than the reference, as far as can be told
			}
			rates = append(rates, 1e3/ns)
		}
		b, found := newBar(rates, inMpps)
		if found {
			b.Hatched, b.Text = true, "~ "+b.Text
			b.note("an estimate", inMpps)
		}
		return b, found
	}
}
