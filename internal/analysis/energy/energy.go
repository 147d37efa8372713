// Package energy says what a packet costs in energy over load. Its functions are pure.
package energy

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// Source gives the energy that was taken in a time, J; ok is false where it is not known.
type Source func(from, to time.Time) (joules float64, ok bool)

// Row is a load of a UPF.
type Row struct {
	DUT       string           `json:"dut"`
	Kind      record.Kind      `json:"kind"`
	Direction record.Direction `json:"direction"`
	Load      string           `json:"load"`
	Size      string           `json:"size"`
	Trials    int              `json:"trials"`  // valid ones whose energy is known
	Without   int              `json:"without"` // valid ones whose energy is not known
	RxPPS     float64          `json:"rx_pps"`  // median of the valid trials, as reports have it
	Watts     float64          `json:"watts"`   // median of the trials
	PerPacket float64          `json:"j_per_packet"`
	PerGbit   float64          `json:"j_per_gbit"`
}

// Line is the power of a UPF in one direction as a straight line over the rate: what it takes without traffic, and
// what one more packet costs.
type Line struct {
	DUT       string           `json:"dut"`
	Direction record.Direction `json:"direction"`
	Size      string           `json:"size"`
	Loads     int              `json:"loads"`
	BaseWatts float64          `json:"base_watts"`
	Packet    float64          `json:"j_per_further_packet"`
	Low       float64          `json:"low"` // its interval of 95 %
	High      float64          `json:"high"`
}

// Report is what is known of a run.
type Report struct {
	Rows  []Row  `json:"loads"`
	Lines []Line `json:"lines,omitempty"`
	// Without is how many valid trials have no row at all.
	Without int `json:"trials_without,omitempty"`
}

// leastLoads is how many different rates a line needs: with two nothing shows whether it is straight.
const leastLoads = 3

type key struct {
	dut string
	record.Key
}

// Of computes the energy of each load. meter is an external one; nil: that of the processors, which the run read.
func Of(r *record.Result, meter Source) Report {
	var rep Report
	for i := range r.DUTs {
		d := &r.DUTs[i]
		rows, points, rates := map[key]*Row{}, map[key][]point{}, map[key][]float64{}
		var order []key
		for j := range d.Trials {
			t := &d.Trials[j]
			if !t.Valid {
				continue
			}
			k := key{d.Label(), t.Key()}
			row := rows[k]
			if row == nil {
				row = &Row{DUT: k.dut, Kind: k.Kind, Direction: k.Direction, Load: k.Load.String(), Size: k.Size}
				rows[k] = row
				order = append(order, k)
			}
			rates[k] = append(rates[k], t.RxPPS)
			if p, ok := measured(t, meter); ok {
				points[k] = append(points[k], p)
				row.Trials++
			} else {
				row.Without++
			}
		}
		for _, k := range order {
			row := rows[k]
			row.Watts = stats.MedianOf(points[k], func(p *point) float64 { return p.watts })
			row.RxPPS = stats.Median(rates[k])
			row.PerPacket = stats.MedianOf(points[k], func(p *point) float64 { return p.watts / p.pps })
			row.PerGbit = stats.MedianOf(points[k], func(p *point) float64 { return p.watts / (p.bits / 1e9) })
			if row.Trials == 0 {
				rep.Without += row.Without
				continue
			}
			rep.Rows = append(rep.Rows, *row)
		}
		rep.Lines = append(rep.Lines, lines(d.Label(), points)...)
	}
	return rep
}

// point is a trial.
type point struct{ watts, pps, bits float64 }

// measured is the power of a trial, disturbed windows included, with the rate of the same time.
func measured(t *record.Trial, meter Source) (p point, ok bool) {
	p.pps = t.WholeRxPPS()
	if !(p.pps > 0) || !(t.RxPPS > 0) {
		return p, false
	}
	p.bits = t.RxL2bps / t.RxPPS * p.pps
	if meter == nil {
		if t.Energy == nil {
			return p, false
		}
		p.watts = t.Energy.Watts
		return p, p.watts > 0
	}
	seconds := t.DurationS
	if x := t.Excluded; x != nil {
		seconds += x.Seconds
	}
	joules, ok := meter(t.Started, t.Started.Add(time.Duration(seconds*1e9)))
	p.watts = joules / seconds
	return p, ok && p.watts > 0
}

// lines fits one for each direction and size of a UPF that has enough loads.
func lines(dut string, points map[key][]point) (list []Line) {
	type at struct {
		direction record.Direction
		size      string
	}
	all, loads := map[at][]point{}, map[at]int{}
	for k, of := range points {
		if k.Kind == record.KindLoad && len(of) > 0 && !k.Load.Max() { // what is received at max is not what was offered
			here := at{k.Direction, k.Size}
			all[here] = append(all[here], of...)
			loads[here]++
		}
	}
	for here, of := range all {
		if loads[here] < leastLoads {
			continue
		}
		x, y := make([]float64, len(of)), make([]float64, len(of))
		slices.SortFunc(of, func(a, b point) int { return cmp.Or(cmp.Compare(a.pps, b.pps), cmp.Compare(a.watts, b.watts)) })
		for i, p := range of {
			x[i], y[i] = p.pps, p.watts
		}
		mx, my := stats.Mean(x), stats.Mean(y)
		rest, spread, product := 0.0, 0.0, 0.0
		for i := range x {
			spread += (x[i] - mx) * (x[i] - mx)
			product += (x[i] - mx) * (y[i] - my)
		}
		if !(spread > 0) {
			continue
		}
		slope := product / spread
		base := my - slope*mx
		for i := range x {
			rest += math.Pow(y[i]-base-slope*x[i], 2)
		}
		df := float64(len(x) - 2)
		half := stats.Reach(math.Sqrt(rest/df/spread), df)
		list = append(list, Line{DUT: dut, Direction: here.direction, Size: here.size, Loads: loads[here], BaseWatts: base, Packet: slope,
			Low: slope - half, High: slope + half})
	}
	slices.SortFunc(list, func(a, b Line) int { return cmp.Or(cmp.Compare(a.Direction, b.Direction), cmp.Compare(a.Size, b.Size)) })
	return list
}
