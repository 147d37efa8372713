package view

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// GoalRate is the rate of one goal over the repeats of a search.
type GoalRate struct {
	Title    string
	Searched bool // a search looked for it
	Known    bool // a rate can be given
	Mpps     block.Cell
	Gbps     block.Cell // as sent
	PPS, BPS float64
	Bound    bool
	Note     string // what the rate is, or "not valid"
	Why      string // reasons against it, in full
	Used     []Goal // those that it is the median of
	all      []Goal
}

// Goal sums up a goal of a direction: the median of the rates found, else of those
// that are at least lower bounds.
func (d *UPF) Goal(direction record.Direction, goal record.Goal) GoalRate {
	all := d.goals(direction, goal)
	f := GoalRate{Title: GoalTitle(goal), Searched: len(all) > 0, Mpps: block.T(units.None), Gbps: block.T(units.None),
		Note: "not searched", all: all}
	if !f.Searched {
		return f
	}
	f.Used = worth(all, Found)
	if len(f.Used) == 0 {
		f.Used = worth(all, LowerBound)
	}
	if len(f.Used) == 0 {
		f.Note, f.Why, f.Mpps.Text = "not valid", all[0].Why(), "not valid"
		return f
	}
	f.Known, f.Why = true, f.Used[0].Why()
	f.fill(d.Reference)
	return f
}

// Limit is what limited the repeats, "dut/host" where they differ.
func (f GoalRate) Limit() record.Limit { return limits(f.Used) }

// In writes the rate in a unit.
func (f GoalRate) In(u units.Rates) block.Cell {
	var pps []float64
	for _, g := range f.Used {
		pps = append(pps, g.LowerPPS)
	}
	c := StatOf(pps).Cell(u.Number)
	c.Text = AtLeast(f.Bound, c.Text)
	return c
}

// BoundsIn are those of one that is not known, or was found once; "": of others.
func (f GoalRate) BoundsIn(u units.Rates) string {
	switch {
	case len(f.Used) == 1:
		return f.Used[0].BoundsIn(u)
	case len(f.Used) == 0 && len(f.all) > 0:
		return f.all[0].BoundsIn(u)
	}
	return ""
}

func (f *GoalRate) fill(reference bool) {
	var pps, bps []float64
	for _, g := range f.Used {
		pps, bps = append(pps, g.LowerPPS), append(bps, g.BPS())
		f.Bound = f.Bound || g.Bound
	}
	f.PPS, f.BPS = StatOf(pps).Median, StatOf(bps).Median
	f.Mpps, f.Gbps = f.In(units.MppsRates), StatOf(bps).Cell(units.Gbps)
	f.Gbps.Text = AtLeast(f.Bound, f.Gbps.Text)
	f.Note = f.Used[0].Note()
	if f.Used[0].Worth == Found {
		f.Note = LimitNote(reference, limits(f.Used))
	}
}

// goals lists the results for a goal in a direction, one for each repeat.
func (d *UPF) goals(direction record.Direction, goal record.Goal) (found []Goal) {
	for _, s := range d.Rates {
		for _, g := range s.Goals {
			if s.Direction == direction && g.Name == goal {
				found = append(found, g)
			}
		}
	}
	return found
}

func worth(goals []Goal, want Worth) (found []Goal) {
	for _, g := range goals {
		if g.Worth == want {
			found = append(found, g)
		}
	}
	return found
}

// Headline is what one remembers of a UPF in one direction: the rate that a search
// found, or the highest received, and the latency at the least load.
type Headline struct {
	UPF       *UPF
	Direction record.Direction
	NDR, PDR  GoalRate
	Best      *Row // highest received rate; nil: none is valid
	Lowest    *Row // latency; nil: none is valid
	// OfReference is the rate as a share of the reference's; 0: unknown, or the
	// reference itself. ReferenceLabel is which one that is: "wire".
	OfReference    float64
	ReferenceLabel string
}

// Headlines are those of a UPF, by direction.
func (v *Run) Headlines(d *UPF) (list []Headline) {
	for _, direction := range v.Directions {
		list = append(list, v.Headline(d, direction))
	}
	return list
}

// Headline is that of one direction.
func (v *Run) Headline(d *UPF, direction record.Direction) Headline {
	h := Headline{UPF: d, Direction: direction, NDR: d.Goal(direction, record.GoalNDR), PDR: d.Goal(direction, record.GoalPDR),
		Best: d.Best(direction), Lowest: d.Lowest(direction)}
	if most, of := v.referencePPS(direction, h.NDR.Searched); most > 0 && !d.Reference && h.PPS() > 0 {
		h.OfReference, h.ReferenceLabel = h.PPS()/most, of
	}
	return h
}

// PPS is the rate of the headline, packets/s: the non-drop rate where it was searched;
// 0: unknown.
func (h Headline) PPS() float64 {
	switch {
	case h.NDR.Searched:
		return h.NDR.PPS
	case h.Best != nil:
		return h.Best.Stat(RxPPS).Median
	}
	return 0
}

// referencePPS is the most that a reference received, or its non-drop rate, packets/s, and
// which reference; 0: unknown, or only a bound of it is known.
func (v *Run) referencePPS(direction record.Direction, ndr bool) (most float64, label string) {
	for _, d := range v.UPFs {
		if !d.Reference {
			continue
		}
		pps := 0.0
		if g := d.Goal(direction, record.GoalNDR); ndr && g.Known && !g.Bound {
			pps = g.PPS
		}
		if top := d.Best(direction); !ndr && top != nil {
			pps = top.Stat(RxPPS).Median
		}
		if pps > most {
			most, label = pps, d.Label
		}
	}
	return most, label
}

// Rate is the rate of the headline as written, in Mpps and Gbit/s, and what it is.
func (h Headline) Rate() (mpps, gbps block.Cell, note string) {
	if h.NDR.Searched {
		return h.NDR.Mpps, h.NDR.Gbps, h.NDR.Note
	}
	return h.Received()
}

// Received is the highest received rate as written, and what it is.
func (h Headline) Received() (mpps, gbps block.Cell, note string) {
	if h.Best == nil {
		return block.T(units.None), block.T(units.None), h.noRate()
	}
	return h.Best.Received(RxPPS, units.Mpps), h.Best.Received(RxBPS, units.Gbps), LimitNote(h.UPF.Reference, h.Best.Limit())
}

// noRate says why there is no rate.
func (h Headline) noRate() string {
	for _, r := range h.UPF.Rows {
		if r.Direction == h.Direction && r.Kind == record.KindLoad {
			return "no valid trial"
		}
	}
	return "not measured"
}
