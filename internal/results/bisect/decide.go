package bisect

import "github.com/upflab/upflab/internal/analysis/stats"

// Decide says whether a build is slower by more than a limit, on the scale of
// Reading.Worse: when the whole interval is on one side of it.
//
// The interval has one standard deviation more for the layout of the code. The limit is about half of what good and bad
// differ by, so that a commit with the slow-down and one without it are as far from it again.
func Decide(r Reading, limit float64) Verdict {
	r = r.widened(1)
	switch {
	case !r.Known:
		return CannotTell
	case r.Hi < limit:
		return NotSlower
	case r.Lo > limit && !r.AtMost:
		return Slower
	}
	return CannotTell
}

// Needed is how many repeats would decide it, when the scatter and the difference stay
// as they are. 0: that cannot be told, or is beyond reason.
func Needed(r Reading, limit float64) int {
	if !r.Known || r.Repeats == 0 || r.AtMost && r.Worse > limit {
		return 0
	}
	reach, distance := r.Hi-r.Worse, limit-r.Worse
	if r.Worse > limit {
		reach, distance = r.Worse-r.Lo, r.Worse-limit
	}
	n := stats.RepeatsFor(r.Repeats, reach, distance, stats.MostAdvised)
	if n == 0 {
		return 0
	}
	return max(n, r.Repeats+1)
}

// clearest is the figure that shows the difference best: the one that is worse by most
// of its interval's width. Nil when none is worse.
func clearest(readings []Reading) (best *Reading) {
	score := func(r *Reading) float64 { return r.Worse / max(r.Hi-r.Lo, 1e-6) }
	for i := range readings {
		r := &readings[i]
		if r.Shown && r.Known && r.widened(sure).Lo > 0 && (best == nil || score(r) > score(best)) {
			best = r
		}
	}
	return best
}

// leastNeeded is the least number of repeats by which one of the figures would be shown
// to be worse by more than a limit; 0: not known.
func leastNeeded(readings []Reading, limit float64) (least int) {
	for _, r := range readings {
		if r.Worse <= limit {
			continue
		}
		if n := Needed(r, limit); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
