package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// group is the repeats of one trial: same DUT, kind, size, direction and load.
type group struct {
	Kind, Size, Direction, Load string
	All                         []*record.Trial
	// Used are those that figures come from: the valid ones, or all of them
	// when none is.
	Used []*record.Trial
}

// groupsOf sorts the trials of a DUT by what they repeat, in order of first
// appearance.
func groupsOf(d *record.DUT) []group {
	var groups []group
	for i := range d.Trials {
		t := &d.Trials[i]
		at := slices.IndexFunc(groups, func(g group) bool {
			return g.Kind == t.Kind && g.Size == t.SizeName() && string(g.Direction) == string(t.Direction) && g.Load == t.Load.String()
		})
		if at < 0 {
			groups = append(groups, group{Kind: t.Kind, Size: t.SizeName(), Direction: string(t.Direction), Load: t.Load.String()})
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

// valid reports whether figures come from valid trials.
func (g group) valid() bool { return len(g.Used) > 0 && g.Used[0].Valid }

// bounds reports whether the received rate says anything of a capability: that
// of a latency trial does not.
func (g group) bounds() bool { return g.valid() && g.Kind == record.KindLoad }

func (g group) stat(of func(*record.Trial) float64) stat {
	sample := make([]float64, len(g.Used))
	for i, t := range g.Used {
		sample[i] = of(t)
	}
	return statOf(sample)
}

// latency gives a figure of the distribution, in ns.
func (g group) latency(of func(*record.Latency) float64) stat {
	return g.stat(func(t *record.Trial) float64 {
		if t.Latency == nil || t.Latency.Count == 0 {
			return math.NaN()
		}
		return of(t.Latency)
	})
}

// limitedBy names the limit; repeats that disagree give all: "dut/host".
func (g group) limitedBy() string {
	var names []string
	for _, t := range g.Used {
		if t.LimitedBy != "" && !slices.Contains(names, t.LimitedBy) {
			names = append(names, t.LimitedBy)
		}
	}
	if len(names) == 0 {
		return notMeasured
	}
	return strings.Join(names, "/")
}

// repeats says how many trials the figures rest on: "3", "2 of 3 valid".
func (g group) repeats() string {
	if !g.valid() {
		return fmt.Sprintf("0 of %d valid", len(g.All))
	}
	if len(g.Used) == len(g.All) {
		return fmt.Sprint(len(g.All))
	}
	return fmt.Sprintf("%d of %d valid", len(g.Used), len(g.All))
}
