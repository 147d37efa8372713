package search

import "time"

// Phase is the part of a search that a trial was for.
type Phase string

// The phases of searches.
const (
	PhaseWarmup  Phase = "warmup"  // not counted
	PhaseInitial Phase = "initial" // where to begin
	PhaseSearch  Phase = "search"
	PhaseVerify  Phase = "verify" // after the search: is the device still the same?
)

// Record is one trial of a search, in the order they were made.
type Record struct {
	Phase    Phase
	PPS      float64       // offered; of a burst, the rate it was meant to have
	Frames   uint64        // of a burst; else 0
	Duration time.Duration // intended
	Attempt  int           // 1, or more when a trial before it was invalid
	// TopUp: it is a part of the trial before it, of which too little counted.
	TopUp bool
	// Used is false when the trial was thrown away.
	Used    bool
	Outcome Outcome
}
