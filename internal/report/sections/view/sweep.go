package view

import (
	"cmp"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// LeastSweep is how many loads of a direction make a sweep, where no model was fitted.
const LeastSweep = 6

// Sweep is the valid load trials of a UPF in one direction, by load. All have one
// arrival process, as a part of a run has.
type Sweep struct {
	UPF       *UPF
	Direction record.Direction
	Arrivals  string // as in record.Stream
	Points    []SweepPoint
}

// SweepPoint is the repeats of one load.
type SweepPoint struct {
	PPS    float64 // as sent, mean over the repeats
	Trials []*record.Trial
}

// Sweeps lists the sweeps of the run, the references' last.
func (v *Run) Sweeps() (list []Sweep) {
	for _, direction := range v.Directions {
		for _, d := range v.UPFs {
			list = append(list, d.sweeps(direction)...)
		}
	}
	if !slices.ContainsFunc(list, Sweep.long) {
		return nil
	}
	return list
}

// Swept reports whether loads were swept.
func (v *Run) Swept() bool { return len(v.Sweeps()) > 0 }

func (s Sweep) long() bool {
	return !s.UPF.Reference && (len(s.Points) >= LeastSweep || len(s.UPF.Models) > 0)
}

func (d *UPF) sweeps(direction record.Direction) (list []Sweep) {
	for _, r := range d.Rows {
		if r.Kind != record.KindLoad || r.Direction != direction || !r.Valid() {
			continue
		}
		for _, t := range r.Used {
			list = d.addTo(list, t)
		}
	}
	for i := range list {
		slices.SortFunc(list[i].Points, func(a, b SweepPoint) int { return cmp.Compare(a.PPS, b.PPS) })
	}
	return list
}

// addTo puts a trial to those of its arrivals and load.
func (d *UPF) addTo(list []Sweep, t *record.Trial) []Sweep {
	process := t.Stream().Arrivals
	at := slices.IndexFunc(list, func(s Sweep) bool { return s.Arrivals == process })
	if at < 0 {
		at = len(list)
		list = append(list, Sweep{UPF: d, Direction: t.Direction, Arrivals: process})
	}
	s := &list[at]
	load := t.Key().Load
	p := slices.IndexFunc(s.Points, func(p SweepPoint) bool { return p.Trials[0].Key().Load == load })
	if p < 0 {
		p = len(s.Points)
		s.Points = append(s.Points, SweepPoint{})
	}
	s.Points[p].Trials = append(s.Points[p].Trials, t)
	s.Points[p].PPS += (TxPPS(t) - s.Points[p].PPS) / float64(len(s.Points[p].Trials)) // the mean
	return list
}

// Hosts reports whether the machine, and not the UPF, limited most of the trials: models leave
// these out, and safe loads.
func (p SweepPoint) Hosts() bool {
	n := 0
	for _, t := range p.Trials {
		if t.LimitedBy == record.LimitHost {
			n++
		}
	}
	return 2*n > len(p.Trials)
}

// Estimate is a figure over the repeats of a load: the median, and where there are
// several its 95 % interval, or of fewer than EnoughRepeats the range.
type Estimate struct{ Value, Low, High float64 }

// EnoughRepeats is from how many repeats on there is an interval instead of a range.
const EnoughRepeats = 6

// Estimate sums a figure up; NaN where it was not measured. Low and High are NaN where
// there is one repeat.
func (p SweepPoint) Estimate(of Quantity) Estimate {
	sample := Group{Used: p.Trials}.Sample(of, 1)
	e := Estimate{Value: stats.Median(sample), Low: math.NaN(), High: math.NaN()}
	switch {
	case len(sample) >= EnoughRepeats:
		e.Low, e.High = stats.MedianCI(sample, 0.95)
	case len(sample) > 1:
		e.Low, e.High = stats.MinMax(sample)
	}
	return e
}

// Chosen is the queueing model of the sweep that was chosen; nil where there is none.
func (s Sweep) Chosen() *record.Model {
	return s.model(func(m *record.Model) bool { return m.Chosen })
}

// Model is the queueing model of a name; nil where it was not fitted.
func (s Sweep) Model(name string) *record.Model {
	return s.model(func(m *record.Model) bool { return m.Name == name && m.AICc != nil })
}

func (s Sweep) model(is func(*record.Model) bool) *record.Model {
	size := ""
	if len(s.Points) > 0 {
		size = s.Points[0].Trials[0].SizeName()
	}
	for i := range s.UPF.Models {
		if m := &s.UPF.Models[i]; m.Class == "" && m.Direction == s.Direction && m.Arrivals == s.Arrivals &&
			(m.Size == "" || m.Size == size) && is(m) {
			return m
		}
	}
	return nil
}

// Safe is the first safe load of the sweep that there is; nil where there is none.
func (s Sweep) Safe() *record.SafeLoad {
	if all := s.SafeLoads(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// SafeLoads are those of the targets that some load keeps.
func (s Sweep) SafeLoads() (list []*record.SafeLoad) {
	for i := range s.UPF.SafeLoads {
		if l := &s.UPF.SafeLoads[i]; l.Class == "" && l.Direction == s.Direction && l.Arrivals == s.Arrivals && l.PPS > 0 {
			list = append(list, l)
		}
	}
	return list
}
