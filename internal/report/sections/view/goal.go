package view

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// Worth is what the rate found for a goal is worth.
type Worth int

// The worths of a rate.
const (
	NoRate     Worth = iota // none can be given
	LowerBound              // the UPF carried it, and its limit was not found
	Found                   // the rate that the goal asks for
)

// Goal is the result of a search for one goal.
type Goal struct {
	*record.SearchGoal
	Search *Search
	Worth  Worth
	Bound  bool // the rate is a lower bound: "≥"
}

func newGoal(s *Search, g *record.SearchGoal) Goal {
	v := Goal{SearchGoal: g, Search: s, Worth: WorthOf(s.Search, g)}
	v.Bound = v.Worth == LowerBound || v.Worth == Found && bounded(s.UPF.Reference, units.OrNone(g.LimitedBy))
	return v
}

// GoalTitle names a goal for people.
func GoalTitle(name record.Goal) string {
	switch name {
	case record.GoalNDR:
		return "non-drop rate"
	case record.GoalPDR:
		return "partial drop rate"
	case record.GoalThroughput:
		return "throughput"
	case record.GoalForwarding:
		return "forwarding rate"
	default:
		return "goal " + units.OrNone(string(name))
	}
}

// WorthOf is what a goal's lower bound is worth. Of one that is not valid it is a rate
// that was carried only where the search ended at its highest load or at the
// generator's.
func WorthOf(s *record.Search, g *record.SearchGoal) Worth {
	const same = 1e-6
	atTop := g.UpperPPS == 0 && g.LowerPPS >= s.MaxPPS*(1-same)
	switch {
	case !(g.LowerPPS > 0): // NaN included
		return NoRate
	case g.Valid:
		return Found
	case atTop, g.UpperPPS > 0 && g.LimitedBy == record.LimitGenerator:
		return LowerBound
	default:
		return NoRate
	}
}

// Title names the goal for people.
func (g Goal) Title() string { return GoalTitle(g.Name) }

// Limit names what caused the loss at the upper bound.
func (g Goal) Limit() record.Limit { return units.OrNone(g.LimitedBy) }

// Rate writes the rate, or that there is none.
func (g Goal) Rate(write units.Writer) string {
	if g.Worth == NoRate {
		return "not valid"
	}
	return AtLeast(g.Bound, write(g.LowerPPS))
}

// Bits writes the rate in Gbit/s of the frames as sent.
func (g Goal) Bits() string {
	if g.Worth == NoRate {
		return units.None
	}
	return AtLeast(g.Bound, units.Gbps(g.BPS()))
}

// BPS is the rate at layer 2, from the Ethernet header on, without FCS.
func (g Goal) BPS() float64 { return g.LowerPPS * float64(g.Search.FrameBytes) * 8 }

// Conditional writes the conditional throughput, kpps.
func (g Goal) Conditional() string {
	if g.Worth == NoRate || g.ConditionalPPS <= 0 {
		return units.None
	}
	return AtLeast(g.Bound, units.Kpps(g.ConditionalPPS))
}

// NoBound is what stands for bounds that a search did not establish.
const NoBound = "no bound was established"

// Bounds writes the relevant bounds, kpps, or those by the last measure that had any.
func (g Goal) Bounds() string { return bounds(g.SearchGoal, units.Kpps, "") }

// BoundsWords says in a few words what a search knows that has no rate to give.
func BoundsWords(g *record.SearchGoal) string {
	return withBounds(bounds(g, units.Kpps, " kpps"))
}

// BoundsIn is the same in a unit of rates, fine enough to tell the bounds apart.
func (g Goal) BoundsIn(u units.Rates) string {
	return withBounds(bounds(g.SearchGoal, u.Fine, " "+u.Name()))
}

func withBounds(text string) string {
	if text == NoBound {
		return text
	}
	return "bounds " + text
}

// bounds writes the bounds of a goal in a unit.
func bounds(g *record.SearchGoal, write units.Writer, unit string) string {
	lower, upper, note := g.LowerPPS, g.UpperPPS, ""
	if !(lower > 0 && upper > 0) && (g.LastLowerPPS > 0 || g.LastUpperPPS > 0) {
		lower, upper = g.LastLowerPPS, g.LastUpperPPS
		if lower != g.LowerPPS || upper != g.UpperPPS {
			note = " by shorter trials"
		}
	}
	switch {
	case lower > 0 && upper > 0:
		return write(lower) + " to " + write(upper) + unit + note
	case lower > 0:
		return "at least " + write(lower) + unit + note
	case upper > 0:
		return "below " + write(upper) + unit + note
	}
	return NoBound
}

// Note says in a few words what the rate is.
func (g Goal) Note() string {
	switch g.Worth {
	case NoRate:
		return "not valid"
	case LowerBound:
		return "its limit was not found"
	default:
		return LimitNote(g.Search.UPF.Reference, g.Limit())
	}
}

// regular reports whether both relevant bounds are there and as close as the goal
// asks: a Regular Goal Result (RFC 9971 clause 4.8.4.1).
func (g Goal) regular() bool {
	const rounding = 1e-9
	if g.Coarse() {
		return false
	}
	return g.Regular || g.LowerPPS > 0 && g.UpperPPS > g.LowerPPS && (g.UpperPPS-g.LowerPPS)/g.UpperPPS <= g.Width+rounding
}

// Irregular reports whether the result is not valid and not regular.
func (g Goal) Irregular() bool { return !g.Valid && !g.regular() }

// Why gives the reasons in full; "" when nothing speaks against the result.
func (g Goal) Why() string {
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

// withCodes puts the code of each reason behind it.
func withCodes(reasons, codes []string) []string {
	list := slices.Clone(reasons)
	for i := range list {
		if i < len(codes) {
			list[i] += " [" + codes[i] + "]"
		}
	}
	return list
}
