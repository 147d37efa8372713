package compare

import (
	"fmt"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// oneSided says why the repeats of a paired figure do not tell two DUTs of a run from a drift
// of the machine: nearly all of them had one of the two first. "" when they tell, or when it
// is not known who came first.
func oneSided(r *record.Result, p dutPair, repeats []int) string {
	ab, ba := 0, 0
	for _, repeat := range repeats {
		before, known := visitedBefore(r, p, repeat)
		switch {
		case !known:
			return ""
		case before:
			ab++
		default:
			ba++
		}
	}
	if len(repeats) < stats.MinRepeats || stats.Counterbalanced(ab, ba) {
		return ""
	}
	first := "A"
	if ba > ab {
		first = "B"
	}
	return fmt.Sprintf("%s was measured first in %d of %d repeats: a machine that drifts makes such a difference, too; measure again",
		first, max(ab, ba), len(repeats))
}

// blocksOf are the mean differences of a run's blocks, each a repeat and the next one in the reverse order, from the
// first on. One of which a repeat is missing, or in which both had the same order, is left out.
func blocksOf(r *record.Result, p dutPair, repeats []int, differences []float64) (blocks []float64) {
	for i := 0; i+1 < len(repeats); i++ {
		first, second := repeats[i], repeats[i+1]
		one, known := visitedBefore(r, p, first)
		other, alsoKnown := visitedBefore(r, p, second)
		if first%2 == 1 && second == first+1 && known && alsoKnown && one != other {
			blocks = append(blocks, (differences[i]+differences[i+1])/2)
		}
	}
	return blocks
}

// visitedBefore reports whether A was visited before B in a repeat, by the order that was kept,
// or in an older result by when the first trials began.
func visitedBefore(r *record.Result, p dutPair, repeat int) (before, known bool) {
	if before, known = r.Order.Before(repeat, Label(p.A), Label(p.B)); known {
		return before, true
	}
	a, b := firstTrial(p.A, repeat), firstTrial(p.B, repeat)
	if a == nil || b == nil || a.Started.IsZero() || b.Started.IsZero() {
		return false, false
	}
	return a.Started.Before(b.Started), true
}

func firstTrial(d *record.DUT, repeat int) *record.Trial {
	for i := range d.Trials {
		if d.Trials[i].Repeat == repeat {
			return &d.Trials[i]
		}
	}
	return nil
}
