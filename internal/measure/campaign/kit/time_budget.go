package kit

import (
	"math"
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
)

// TimeBudget keeps a run within trial.MostTimes of what its outline says that it takes: on a machine that
// disturbs it, trials go on for longer and are repeated, as long as there is time for that.
type TimeBudget struct {
	Begun time.Time
	Takes time.Duration // the whole run, undisturbed
	Steps int           // of the whole run
	Ends  time.Time     // the run is to be over; zero: as takes says
	Done  int           // of these
}

// spare is how much longer the run may take from now on than the steps to come take undisturbed.
func (b *TimeBudget) spare(now time.Time) time.Duration {
	if !b.Ends.IsZero() {
		return b.Ends.Sub(now)
	}
	if b.Steps == 0 { // how many there are is not known
		return math.MaxInt64
	}
	left := time.Duration(float64(b.Takes) * float64(max(b.Steps-b.Done, 0)) / float64(b.Steps))
	return trial.MostTimes*b.Takes - now.Sub(b.Begun) - left
}

// extends reports whether a trial of so long may go on for what the machine disturbs.
func (b *TimeBudget) extends(now time.Time, d time.Duration) bool {
	return b.spare(now) >= (trial.MostTimes-1)*d
}

// repeats reports whether a trial of so long may be made again.
func (b *TimeBudget) repeats(now time.Time, d time.Duration) bool {
	return b.spare(now) >= trial.MostTimes*d
}
