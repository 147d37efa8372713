package compare

import (
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// kindSearch is the kind of what a search found, beside the kinds of trials.
const kindSearch = "search"

// Names of goals and methods, as results have them.
const (
	goalNDR          = "ndr"
	goalPDR          = "pdr"
	goalThroughput   = "throughput"
	foundBursts      = "back-to-back"
	methodBackToBack = "back_to_back"
	methodVerified   = "binary_loss_verification"
)

// verified stands behind the name of a goal that TST 009 looked for: a rate of that is
// another figure than RFC 2544's.
const verified = " (TST 009)"

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
		if s.Method == methodBackToBack {
			list = append(list, foundBurst(s))
		}
	}
	return list
}

func asTrial(s record.Search, name string) record.Trial {
	return record.Trial{
		Kind: kindSearch, Direction: s.Direction, Load: name, Repeat: s.Repeat, Sessions: s.Sessions,
		Size: s.Size, Mixed: s.Mixed, PayloadBytes: s.PayloadBytes, InnerBytes: s.InnerBytes, FrameBytes: s.FrameBytes, LimitedBy: s.LimitedBy,
		Valid: s.Valid, Reasons: s.Reasons,
	}
}

// foundRate takes the relevant lower bound of a goal; the truth lies between it
// and the upper one. Where the search ended at the bench, it is what the DUT does
// at least.
func foundRate(s record.Search, g record.SearchGoal) found {
	name := g.Name
	if s.Method == methodVerified {
		name += verified
	}
	f := found{trial: asTrial(s, name), width: g.Width}
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
	f := found{trial: asTrial(s, foundBursts)}
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
	widths = map[*record.Trial]float64{}
	for _, f := range foundBy(d) {
		trials = append(trials, &f.trial)
		widths[&f.trial] = f.width
	}
	return trials, widths
}

// foundBeside is what the DUT's search of the same repeat found for the same goal;
// nil when it found nothing.
func foundBeside(d *record.DUT, t *record.Trial) *record.Trial {
	for _, f := range foundBy(d) {
		if f.trial.Valid && f.trial.Repeat == t.Repeat && keyOf(&f.trial) == keyOf(t) {
			return &f.trial
		}
	}
	return nil
}

// atShare reports whether a load is a share of a rate that was found: then it has
// another rate in each run, and its name says what it is.
func atShare(t *record.Trial) bool {
	_, of, is := strings.Cut(t.Load, " % of ")
	return is && (of == "NDR" || of == goalThroughput) || t.Soak != nil && strings.HasSuffix(t.Load, "% soak")
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
	if g.A.Kind != kindSearch {
		return r
	}
	r += max(g.A.widest(), g.B.widest())
	if on == BasisWire {
		r += max(groupOf(in.wireA, g.A.key).widest(), groupOf(in.wireB, g.B.key).widest())
	}
	return r
}

// groupOf is the group of a DUT with that key; an empty one when there is none.
func groupOf(d *record.DUT, k key) group {
	if d == nil {
		return group{}
	}
	groups := groupsOf(d)
	if at := slices.IndexFunc(groups, func(g group) bool { return g.key == k }); at >= 0 {
		return groups[at]
	}
	return group{}
}
