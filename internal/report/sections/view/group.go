package view

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// Group is the repeats of one trial of a UPF.
type Group struct {
	record.Key
	All []*record.Trial
	// Used are those that figures come from: the valid ones, or all of them when none
	// is.
	Used []*record.Trial
}

// groupsOf sorts the trials of a UPF by what they repeat, in order of first
// appearance.
func groupsOf(d *record.DUT) []Group {
	var groups []Group
	for i := range d.Trials {
		t := &d.Trials[i]
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Key == t.Key() })
		if at < 0 {
			groups = append(groups, Group{Key: t.Key()})
			at = len(groups) - 1
		}
		groups[at].All = append(groups[at].All, t)
	}
	for i := range groups {
		groups[i].Used = usable(groups[i].All)
	}
	return groups
}

func usable(all []*record.Trial) []*record.Trial {
	var valid []*record.Trial
	for _, t := range all {
		if t.Valid {
			valid = append(valid, t)
		}
	}
	if len(valid) == 0 {
		return all
	}
	return valid
}

// Valid reports whether figures come from valid trials.
func (g Group) Valid() bool { return len(g.Used) > 0 && g.Used[0].Valid }

// OfferedPPS is the offered load, packets/s; 0 for unpaced.
func (g Group) OfferedPPS() float64 { return g.Used[0].Load.PPS }

// Stat sums a figure up over the trials that count.
func (g Group) Stat(of Quantity) Stat { return StatOf(g.Sample(of, 1)) }

// Sample takes a figure of the trials that count, in another unit; what was not
// measured is left out.
func (g Group) Sample(of Quantity, factor float64) (sample []float64) {
	for _, t := range g.Used {
		if v := of(t) * factor; !math.IsNaN(v) && !math.IsInf(v, 0) {
			sample = append(sample, v)
		}
	}
	return sample
}

// Limit names what limited the trials; repeats that disagree give all: "dut/host".
func (g Group) Limit() record.Limit {
	return allLimits(g.Used, func(t *record.Trial) record.Limit { return t.LimitedBy })
}

// Repeats is how many trials the figures rest on: "3", "2 of 3 valid".
func (g Group) Repeats() string {
	switch {
	case !g.Valid():
		return fmt.Sprintf("0 of %d valid", len(g.All))
	case len(g.Used) == len(g.All):
		return fmt.Sprint(len(g.All))
	}
	return fmt.Sprintf("%d of %d valid", len(g.Used), len(g.All))
}

// Flows are the directions of trials of both at once.
func (g Group) Flows() (directions []record.Direction) {
	if len(g.Used) == 0 {
		return nil
	}
	for _, f := range g.Used[0].Flows {
		directions = append(directions, f.Direction)
	}
	return directions
}

// Flow is a figure of one direction of such trials.
func (g Group) Flow(direction record.Direction, of func(*record.Flow) float64) Stat {
	return g.Stat(func(t *record.Trial) float64 {
		for i := range t.Flows {
			if t.Flows[i].Direction == direction {
				return of(&t.Flows[i])
			}
		}
		return math.NaN()
	})
}
