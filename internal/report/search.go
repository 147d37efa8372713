package report

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// standing is what the rate found for a goal is worth.
type standing int

const (
	standsNot     standing = iota // no rate can be given
	standsAsBound                 // the DUT carried it, and its limit was not found
	stands                        // the rate that the goal asks for
)

// searchView is a search prepared for showing.
type searchView struct {
	*record.Search
	DUT, Color string
	Reference  bool
	sized      bool // there are several sizes: the name tells which
	Goals      []goalView
}

// goalView is the result for one goal.
type goalView struct {
	*record.SearchGoal
	Search   *searchView
	Title    string // "non-drop rate"
	LossText string // its goal loss ratio: "0", "0.50 %"
	Standing standing
	Bound    bool // the rate is a lower bound: "≥"
}

// names of the goals that searches have by convention.
const (
	goalNDR = "ndr"
	goalPDR = "pdr"
	// goalThroughput is that of a binary search.
	goalThroughput = "throughput"
)

func viewSearches(d dutView) []*searchView {
	var list []*searchView
	for i := range d.Searches {
		s := &searchView{Search: &d.Searches[i], DUT: d.Label, Color: d.Color, Reference: d.Reference}
		for j := range s.Search.Goals {
			s.Goals = append(s.Goals, newGoalView(s, &s.Search.Goals[j]))
		}
		list = append(list, s)
	}
	return list
}

func newGoalView(s *searchView, g *record.SearchGoal) goalView {
	v := goalView{SearchGoal: g, Search: s, Title: goalTitle(string(g.Name)), LossText: lossRatio(g.LossRatio), Standing: standingOf(s.Search, g)}
	v.Bound = v.Standing == standsAsBound || v.Standing == stands && atLeast(s.Reference, orNone(g.LimitedBy))
	return v
}

func goalTitle(name string) string {
	switch name {
	case goalNDR:
		return "non-drop rate"
	case goalPDR:
		return "partial drop rate"
	case goalThroughput:
		return "throughput"
	case "forwarding":
		return "forwarding rate"
	default:
		return "goal " + orNone(name)
	}
}

// standingOf tells what a goal's lower bound is worth. Of one that is not valid
// it is a rate that was carried only where the search ended at its highest load
// or at the generator's.
func standingOf(s *record.Search, g *record.SearchGoal) standing {
	const same = 1e-6
	atTop := g.UpperPPS == 0 && g.LowerPPS >= s.MaxPPS*(1-same)
	switch {
	case !(g.LowerPPS > 0): // NaN included
		return standsNot
	case g.Valid:
		return stands
	case atTop, g.UpperPPS > 0 && g.LimitedBy == record.LimitGenerator:
		return standsAsBound
	default:
		return standsNot
	}
}

// rate writes the rate, or that there is none.
func (g goalView) rate(write unit) string {
	if g.Standing == standsNot {
		return "not valid"
	}
	return bound(g.Bound, write(g.LowerPPS))
}

// bits writes the rate as bits/s of the frames as sent.
func (g goalView) bits() string {
	if g.Standing == standsNot {
		return notMeasured
	}
	return bound(g.Bound, gbps(g.bps()))
}

// bps is the rate at layer 2, from the Ethernet header on, without FCS.
func (g goalView) bps() float64 { return g.LowerPPS * float64(g.Search.FrameBytes) * 8 }

// KppsText and the others are for the templates.
func (g goalView) KppsText() string { return g.rate(kpps) }

// GbpsText writes the rate in Gbit/s.
func (g goalView) GbpsText() string { return g.bits() }

// ConditionalText writes the conditional throughput, kpps.
func (g goalView) ConditionalText() string {
	if g.Standing == standsNot || g.ConditionalPPS <= 0 {
		return notMeasured
	}
	return bound(g.Bound, kpps(g.ConditionalPPS))
}

// BoundsText writes the relevant bounds, kpps.
func (g goalView) BoundsText() string {
	lower, upper := "none", "none"
	if g.LowerPPS > 0 {
		lower = kpps(g.LowerPPS)
	}
	if g.UpperPPS > 0 {
		upper = kpps(g.UpperPPS)
	}
	return lower + " to " + upper
}

// Limited names what caused the loss at the upper bound.
func (g goalView) Limited() string { return orNone(g.LimitedBy) }

// LimitClass is the style of Limited.
func (g goalView) LimitClass() string { return limitClass(g.LimitedBy) }

// Note tells in a few words what the rate is.
func (g goalView) Note() string {
	switch {
	case g.Standing == standsNot:
		return "not valid"
	case g.Standing == standsAsBound:
		return "its limit was not found"
	default:
		return limitNote(g.Search.Reference, g.Limited())
	}
}

// AtLeast reports whether the rate is only one that was carried.
func (g goalView) AtLeast() bool { return g.Standing == standsAsBound }

// regular reports whether both relevant bounds are there and as close as the goal
// asks: a Regular Goal Result (RFC 9971 clause 4.8.4.1).
func (g goalView) regular() bool {
	const rounding = 1e-9
	return g.Regular || g.LowerPPS > 0 && g.UpperPPS > g.LowerPPS && (g.UpperPPS-g.LowerPPS)/g.UpperPPS <= g.Width+rounding
}

// Irregular is a word on a result that is not regular; "" on others.
func (g goalView) Irregular() string {
	if g.Valid || g.regular() {
		return ""
	}
	return "irregular"
}

// ValidWord is whether the rate is what the goal asks for.
func (g goalView) ValidWord() string {
	if g.Valid {
		return "yes"
	}
	return "NO"
}

// Why gives the reasons in full; "" when the result stands without doubts.
func (g goalView) Why() string {
	reasons := withCodes(g.Reasons, g.ReasonCodes)
	for _, r := range withCodes(g.Search.Search.Reasons, g.Search.ReasonCodes) {
		if !g.Valid && !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	if len(reasons) == 0 && !g.Valid {
		return "no reason was given"
	}
	return strings.Join(reasons, "; ")
}

// badSearches counts the goals that have no valid result, and all of them.
func (v view) badSearches() (bad, all int) {
	for _, d := range v.DUTs {
		for _, s := range d.Found {
			for _, g := range s.Goals {
				all++
				if !g.Valid {
					bad++
				}
			}
		}
	}
	return bad, all
}
