package search

import (
	"fmt"
	"time"
)

// Limits bound the effort of a search. The zero value sets no budget of time.
type Limits struct {
	// Budget is the time for the whole search, waiting included; 0: no limit. A
	// trial that would not end within it is not begun.
	Budget time.Duration
	// Repeats is how often an invalid trial is done again, 1 and up; 0 means 2,
	// negative means never.
	Repeats int
	// Trials ends a search that would go on for ever; 0 means 5000.
	Trials int
	// Now gives the time; nil means time.Now.
	Now func() time.Time
}

const (
	defaultRepeats = 2
	defaultTrials  = 5000
)

func (l Limits) withDefaults() Limits {
	switch {
	case l.Repeats == 0:
		l.Repeats = defaultRepeats
	case l.Repeats < 0:
		l.Repeats = 0
	}
	if l.Trials == 0 {
		l.Trials = defaultTrials
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	return l
}

func (l Limits) check() error {
	if l.Budget < 0 {
		return fmt.Errorf("budget of %v: it cannot be negative; leave it 0 for no limit", l.Budget)
	}
	if l.Trials < 0 {
		return fmt.Errorf("at most %d trials: it cannot be negative; leave it 0 for %d", l.Trials, defaultTrials)
	}
	return nil
}
