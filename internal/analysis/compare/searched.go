package compare

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// found is what one search found for one goal, as a trial that received so much:
// so it is compared as trials are.
type found struct {
	trial record.Trial
	width float64 // by how much, as a ratio, the truth may be higher
}

// foundBy lists what the searches of a DUT found, or why they did not.
func foundBy(d *record.DUT) (list []found) {
	for _, s := range d.Searches {
		for _, g := range s.Goals {
			list = append(list, foundRate(s, g))
		}
		if s.Method == record.MethodBackToBack {
			list = append(list, foundBurst(s))
		}
	}
	return list
}

func asTrial(s record.Search, goal record.Load) record.Trial {
	return record.Trial{
		Kind: record.KindSearch, Direction: s.Direction, Load: goal, Repeat: s.Repeat, Sessions: s.Sessions,
		PacketSize: record.PacketSize{
			Size: s.Size, Mixed: s.Mixed, PayloadBytes: s.PayloadBytes, InnerBytes: s.InnerBytes,
			FrameBytes: s.FrameBytes,
		},
		Judgement: record.Judgement{LimitedBy: s.LimitedBy, Valid: s.Valid, Reasons: s.Reasons},
	}
}

// foundRate takes the relevant lower bound of a goal; the truth lies between it
// and the upper one. Where the search ended at the bench, it is what the DUT does
// at least.
func foundRate(s record.Search, g record.SearchGoal) found {
	goal := record.Load{Kind: record.LoadGoal, Of: g.Name}
	if s.Method == record.MethodLossVerification {
		goal.Kind = record.LoadVerifiedGoal
	}
	f := found{trial: asTrial(s, goal), width: g.Width}
	f.trial.RxPPS, f.trial.LimitedBy, f.trial.Valid = g.LowerPPS, g.LimitedBy, g.Valid && g.LowerPPS > 0
	f.trial.Reasons = slices.Concat(g.Reasons, s.Reasons)
	if g.UpperPPS > g.LowerPPS && g.Valid {
		f.width = g.UpperPPS/max(g.LowerPPS, 1) - 1
	}
	if !g.Valid && g.AtLeast() {
		f.trial.Valid, f.trial.LimitedBy = true, record.LimitGenerator
	}
	return f
}

// foundBurst takes the average longest burst. Its own scatter, or one packet, is
// how well it is known.
func foundBurst(s record.Search) found {
	f := found{trial: asTrial(s, record.Load{Kind: record.LoadGoal, Of: record.GoalBackToBack})}
	if b := s.Bursts; b != nil && b.Average > 0 {
		f.trial.RxPPS, f.width = b.Average, max(1, b.StdDev)/b.Average
	} else {
		f.trial.Valid = false
	}
	return f
}

// trialsOf are the trials of a DUT, and what its searches found as such, with the
// widths of the latter.
func trialsOf(d *record.DUT) (trials []*record.Trial, widths map[*record.Trial]float64) {
	for i := range d.Trials {
		trials = append(trials, &d.Trials[i])
	}
	for i := range d.Instructions {
		t := d.Instructions[i].Trial()
		trials = append(trials, &t)
	}
	widths = map[*record.Trial]float64{}
	for _, f := range foundBy(d) {
		trials = append(trials, &f.trial)
		widths[&f.trial] = f.width
	}
	return trials, widths
}

// foundInRepeat is what the DUT's search of the same repeat found for the same goal;
// nil when it found nothing.
func foundInRepeat(d *record.DUT, t *record.Trial) *record.Trial {
	for _, f := range foundBy(d) {
		if f.trial.Valid && f.trial.Repeat == t.Repeat && keyOf(&f.trial) == keyOf(t) {
			return &f.trial
		}
	}
	return nil
}

// widest is by how much figures of a group may differ although they are the same,
// on the metric's scale.
func (g group) widest() float64 {
	most := 0.0
	for _, t := range g.Valid {
		most = max(most, g.widths[t])
	}
	return math.Log1p(most)
}

// resolution is by how much equal figures of two groups may differ: as the metric
// says, and for what searches found the interval between the bounds.
func resolution(in inputs, m Metric, g groupPair, on Basis) float64 {
	r := m.resolution(on)
	if m == P50 || m == P99 {
		steps := max(g.A.step(m), g.B.step(m))
		if on == BasisWire {
			steps += max(groupOf(in.wireA, g.A.Key).step(m), groupOf(in.wireB, g.B.Key).step(m))
		}
		return max(r, steps)
	}
	if g.A.Kind != record.KindSearch {
		return r
	}
	r += max(g.A.widest(), g.B.widest())
	if on == BasisWire {
		r += max(groupOf(in.wireA, g.A.Key).widest(), groupOf(in.wireB, g.B.Key).widest())
	}
	return r
}

// step is by how much equal latencies of a group may differ on the metric's scale because of
// what measured them rounds them up: two that lie on both sides of a bucket's end.
func (g group) step(m Metric) (most float64) {
	for _, t := range g.Valid {
		l := t.Latency
		if l == nil {
			continue
		}
		v, step := l.P50, l.P50Step
		if m == P99 {
			v, step = l.P99, l.P99Step
		}
		if step > 0 && v > 0 { // a microsecond is the least that such an engine tells apart
			most = max(most, math.Log(float64(v)/max(1000, float64(v)-float64(step))))
		}
	}
	return most
}

// groupOf is the group of a DUT with that key; an empty one when there is none.
func groupOf(d *record.DUT, k record.Key) group {
	if d == nil {
		return group{}
	}
	groups := groupsOf(d)
	if at := slices.IndexFunc(groups, func(g group) bool { return g.Key == k }); at >= 0 {
		return groups[at]
	}
	return group{}
}
