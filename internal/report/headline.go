package report

import (
	"math"

	"github.com/upflab/upflab/internal/record"
)

// headline is what one remembers of a DUT.
type headline struct {
	DUT     dutView
	Figures []figures
}

// figures are the headline of one direction.
type figures struct {
	Direction string
	pps, bps  float64 // of the highest received rate; NaN: unknown
	Mpps      cell    // the highest received rate, "≥ " before it when it is a lower bound
	Gbps      cell
	Known     bool   // a valid load trial exists
	Load      string // the load it was received at
	Note      string // what the rate is
	Bound     bool
	OfWire    float64 // of the most that the reference received; NaN: unknown
	P50, P99  cell    // µs, of the latency trial
	LatencyAt string  // its load
	Wire      cell    // the reference's p50 beside it, µs
	NDR, PDR  goalFigure
	NDROfWire float64 // non-drop rate / that of the reference; NaN: unknown
	CPUNS     cell    // DUT's CPU time per forwarded packet at Load, ns
	ProgramNS cell    // the same of its BPF program alone
}

func (v view) headlines() []headline {
	heads := make([]headline, len(v.DUTs))
	for i, d := range v.DUTs {
		heads[i].DUT = d
		for _, direction := range v.Directions {
			heads[i].Figures = append(heads[i].Figures, v.figures(d, direction))
		}
	}
	return heads
}

func (v view) figures(d dutView, direction string) figures {
	f := figures{Direction: direction, pps: math.NaN(), bps: math.NaN(), OfWire: math.NaN(), NDROfWire: math.NaN()}
	f.setRate(d, direction)
	f.setLatency(v, d, direction)
	f.NDR, f.PDR = d.goalFigure(direction, goalNDR), d.goalFigure(direction, goalPDR)
	if most := v.referenceNDR(direction); f.NDR.Known && most > 0 && !d.Reference {
		f.NDROfWire = f.NDR.PPS / most
	}
	if most := v.referenceRate(direction); f.Known && most > 0 && !d.Reference {
		f.OfWire = best(d, direction).group.stat(rxPPS).Median / most
	}
	return f
}

func (f *figures) setRate(d dutView, direction string) {
	none := unknown().cell(mpps)
	f.Mpps, f.Gbps, f.CPUNS, f.ProgramNS = none, none, none, none
	top := best(d, direction)
	if top == nil {
		f.Note = noRate(d, direction)
		return
	}
	g := top.group
	f.Known, f.Load, f.Bound = true, top.Load, top.AtLeast
	f.Note = limitNote(d.Reference, top.Limited)
	f.pps, f.bps = g.stat(rxPPS).Median, g.stat(rxBPS).Median
	f.Mpps, f.Gbps = g.stat(rxPPS).cell(mpps), g.stat(rxBPS).cell(gbps)
	f.Mpps.Text, f.Gbps.Text = bound(f.Bound, f.Mpps.Text), bound(f.Bound, f.Gbps.Text)
	f.CPUNS, f.ProgramNS = g.stat(cpuNS).cell(nanos), g.stat(programNS).cell(nanos)
}

// noRate says why there is no rate.
func noRate(d dutView, direction string) string {
	for _, r := range d.Rows {
		if r.Direction == direction && r.group.Kind == record.KindLoad {
			return "no valid trial"
		}
	}
	return "not measured"
}

// setLatency takes the latency trial with the least load.
func (f *figures) setLatency(v view, d dutView, direction string) {
	none := unknown().cell(micros)
	f.P50, f.P99, f.Wire = none, none, none
	for _, load := range v.Latencies {
		if r := d.row(record.KindLatency, direction, load); r != nil && r.Valid {
			f.P50, f.P99, f.LatencyAt, f.Wire = r.P50, r.P99, load, r.Wire
			return
		}
	}
}

// best is the valid load trial with the highest received rate, nil if none is.
func best(d dutView, direction string) *row {
	var top *row
	rate := -1.0
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.group.Kind != record.KindLoad || r.Direction != direction || !r.Valid {
			continue
		}
		if got := r.group.stat(rxPPS).Median; got > rate {
			top, rate = r, got
		}
	}
	return top
}

// referenceNDR is the non-drop rate of a reference, packets/s; 0: unknown, or
// only a bound of it is known.
func (v view) referenceNDR(direction string) float64 {
	most := 0.0
	for _, d := range v.DUTs {
		if f := d.goalFigure(direction, goalNDR); d.Reference && f.Known && !f.Bound {
			most = max(most, f.PPS)
		}
	}
	return most
}

// referenceRate is the most that a reference received, packets/s; 0: unknown.
func (v view) referenceRate(direction string) float64 {
	most := 0.0
	for _, d := range v.DUTs {
		if top := best(d, direction); d.Reference && top != nil {
			most = max(most, top.group.stat(rxPPS).Median)
		}
	}
	return most
}
