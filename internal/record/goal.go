package record

import "slices"

// Goal names what a search looks for: a goal of MLRsearch (a user may name others),
// or the figure of another method.
type Goal string

// The goals that upflab has names for.
const (
	GoalNDR        Goal = "ndr"          // non-drop rate: no loss (RFC 9971, FD.io CSIT)
	GoalPDR        Goal = "pdr"          // partial drop rate: 0.5 % of loss
	GoalThroughput Goal = "throughput"   // RFC 2544 clause 26.1
	GoalForwarding Goal = "forwarding"   // what a DUT forwards while a burst arrives
	GoalBackToBack Goal = "back-to-back" // RFC 9004
	GoalCapacity   Goal = "capacity"     // what a DUT carries with hardly a loss, found in a few short trials
)

// Title is the goal in the text of a load: "NDR", "throughput".
func (g Goal) Title() string {
	switch g {
	case GoalNDR:
		return "NDR"
	case GoalPDR:
		return "PDR"
	}
	return string(g)
}

func goalTitled(title string) Goal {
	for _, g := range []Goal{GoalNDR, GoalPDR} {
		if g.Title() == title {
			return g
		}
	}
	return Goal(title)
}

// Found reports whether a search has what it looked for: for each goal a rate, or one
// that the DUT does at least. Bursts and curves are not asked: a device that is as
// fast as the generator has no back-to-back frames to be found.
func (s *Search) Found() bool {
	for _, g := range s.Goals {
		if !g.Valid && !g.AtLeast() {
			return false
		}
	}
	return true
}

// CoarsestBounds is how far apart the bounds of a goal are at most that has ReasonCoarse, relative: as far
// as a device may be off at the end of a search that had the time.
const CoarsestBounds = 0.1

// Coarse reports whether the goal's bounds are wider than it asks, because the time ended.
func (g SearchGoal) Coarse() bool { return slices.Contains(g.ReasonCodes, string(ReasonCoarse)) }

// AtLeast reports whether the search ended at its highest load, or at the bench's: the
// DUT does at least the relevant lower bound.
func (g SearchGoal) AtLeast() bool {
	return g.LowerPPS > 0 && slices.ContainsFunc(g.ReasonCodes, func(code string) bool {
		return code == string(ReasonNoUpperBound) || code == string(ReasonBenchLimit)
	})
}
