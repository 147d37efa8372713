package search

import (
	"errors"
	"fmt"
	"time"
)

// Goal is a Search Goal (RFC 9971 clause 4.6.7): what makes a load a lower
// bound, and how close the bounds have to come.
type Goal struct {
	Name string // in reports: "ndr", "pdr" ...
	// LossRatio is the Goal Loss Ratio, 0..1 but not 1: a trial that loses more
	// is a high-loss trial (clause 4.6.3).
	LossRatio float64
	// ExceedRatio is the Goal Exceed Ratio, 0..1 but not 1: that part of the
	// duration sum may be high-loss trials at a lower bound (clause 4.6.4).
	ExceedRatio float64
	// Width is the Goal Width (clause 4.6.5), relative: (upper - lower) / upper,
	// 0.0001..0.5.
	Width float64
	// InitialTrialDuration is that of the first, coarse trials (clause 4.6.6);
	// 10 ms and up.
	InitialTrialDuration time.Duration
	// FinalTrialDuration is the Goal Final Trial Duration (clause 4.6.1): shorter
	// trials are short trials, which count for less.
	FinalTrialDuration time.Duration
	// DurationSum is the Goal Duration Sum (clause 4.6.2): trials of that length
	// together decide on a load. At least FinalTrialDuration.
	DurationSum time.Duration
	// Coarser is how many coarser targets come before this one, each with twice
	// the width and a shorter duration sum, 1..10; 0 means 2. It changes how long
	// a search takes, not what it finds.
	Coarser int
	// Expansion multiplies the step of a search that has only one bound, 2..16;
	// 0 means 2.
	Expansion int
}

const (
	defaultCoarser   = 2
	defaultExpansion = 2
	shortestTrial    = 10 * time.Millisecond
	narrowest        = 1e-4
	widest           = 0.5
)

func (g Goal) withDefaults() Goal {
	if g.Coarser == 0 {
		g.Coarser = defaultCoarser
	}
	if g.Expansion == 0 {
		g.Expansion = defaultExpansion
	}
	return g
}

// check refuses values outside their ranges.
func (g Goal) check() error {
	return errors.Join(
		g.unless(g.LossRatio >= 0 && g.LossRatio < 1, "loss ratio %v: use 0 up to but not 1", g.LossRatio),
		g.unless(g.ExceedRatio >= 0 && g.ExceedRatio < 1, "exceed ratio %v: use 0 up to but not 1", g.ExceedRatio),
		g.unless(g.Width >= narrowest && g.Width <= widest, "width %v: use %v to %v", g.Width, narrowest, widest),
		g.unless(g.InitialTrialDuration >= shortestTrial, "initial trials of %v: use %v or more", g.InitialTrialDuration, shortestTrial),
		g.unless(g.FinalTrialDuration >= g.InitialTrialDuration, "final trials of %v are shorter than the initial ones of %v", g.FinalTrialDuration, g.InitialTrialDuration),
		g.unless(g.DurationSum >= g.FinalTrialDuration, "duration sum of %v is shorter than a final trial of %v", g.DurationSum, g.FinalTrialDuration),
		g.unless(g.Coarser >= 1 && g.Coarser <= 10, "%d coarser targets: use 1 to 10", g.Coarser),
		g.unless(g.Expansion >= 2 && g.Expansion <= 16, "expansion %d: use 2 to 16", g.Expansion),
	)
}

func (g Goal) unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("goal %q: %s", g.Name, fmt.Sprintf(format, args...))
}
