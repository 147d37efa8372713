package campaign

import (
	"math"
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
)

// timeBudget keeps a run within trial.MostTimes of what its outline says that it takes: on a machine that
// disturbs it, trials go on for longer and are repeated, as long as there is time for that.
type timeBudget struct {
	begun time.Time
	takes time.Duration // the whole run, undisturbed
	steps int           // of the whole run
	ends  time.Time     // the run is to be over; zero: as takes says
	done  int           // of these
}

// spare is how much longer the run may take from now on than the steps to come take undisturbed.
func (b *timeBudget) spare(now time.Time) time.Duration {
	if !b.ends.IsZero() {
		return b.ends.Sub(now)
	}
	if b.steps == 0 { // how many there are is not known
		return math.MaxInt64
	}
	left := time.Duration(float64(b.takes) * float64(max(b.steps-b.done, 0)) / float64(b.steps))
	return trial.MostTimes*b.takes - now.Sub(b.begun) - left
}

// extends reports whether a trial of so long may go on for what the machine disturbs.
func (b *timeBudget) extends(now time.Time, d time.Duration) bool {
	return b.spare(now) >= (trial.MostTimes-1)*d
}

// repeats reports whether a trial of so long may be made again.
func (b *timeBudget) repeats(now time.Time, d time.Duration) bool {
	return b.spare(now) >= trial.MostTimes*d
}
