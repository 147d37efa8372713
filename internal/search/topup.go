package search

import (
	"context"
	"time"
)

const (
	// spare is how much more than what is missing a part is asked for, relative: of a part
	// a different share counts.
	spare = 0.2
	// topUps is how often at most a trial is topped up of which too little counted.
	topUps = 3
	// leastTopUp is the shortest such part: setting a trial up takes longer.
	leastTopUp = 50 * time.Millisecond
	// longestPart is how many times as long as the trial a part is at most: of a trial that
	// was hardly ever undisturbed the rest would take minutes.
	longestPart = 4
	// ahead is how much longer trials are asked for once a part of one did not count: about
	// what they lack at their end, where it is known too late that it does not count.
	// Topping up for it takes eight times as long.
	ahead = 50 * time.Millisecond
)

// whole makes one trial. What of it did not count, because the machine was disturbed, is
// made up for by further parts at the same load. What is missing after that makes its
// effective duration shorter, and with it the trial's weight: the search then asks for
// another one. It is never invalid for that alone, which would throw away what was
// measured well.
func (r *runner) whole(ctx context.Context, w want, attempt int) (Outcome, error) {
	asked := w
	if r.shared && w.frames == 0 {
		asked.duration += ahead
	}
	o, err := r.once(ctx, asked, attempt, false)
	r.parts = []int{len(r.log) - 1}
	for n := 0; err == nil && n < topUps && w.fault(o) == "" && w.effective(o) < w.duration; n++ {
		part := w
		part.duration = w.missing(o)
		if r.permit(ctx, part) != nil {
			break // the search's next trial will say so
		}
		var more Outcome
		if more, err = r.once(ctx, part, attempt, true); err == nil && part.fault(more) == "" {
			r.parts = append(r.parts, len(r.log)-1)
			o = o.plus(more)
		}
	}
	return o, err
}

// missing is how long a part has to be for the trial to be whole, if as much of it counts
// as of what was made so far.
func (w want) missing(o Outcome) time.Duration {
	share := min(1, o.Seconds/w.duration.Seconds())
	lacks := (w.duration - w.effective(o)).Seconds()
	part := time.Duration((1 + spare) * lacks / share * float64(time.Second)).Round(time.Millisecond)
	return min(max(leastTopUp, part), longestPart*w.duration)
}
