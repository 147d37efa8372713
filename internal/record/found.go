package record

import "slices"

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

// AtLeast reports whether the search ended at its highest load, or at the bench's: the
// DUT does at least the relevant lower bound.
func (g SearchGoal) AtLeast() bool {
	return g.LowerPPS > 0 && slices.ContainsFunc(g.ReasonCodes, func(code string) bool {
		return code == "no_upper_bound" || code == "bench_limit"
	})
}
