package measure

import (
	"errors"

	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// errAborted ends a run at a threshold that failed for good.
var errAborted = errors.New("ended early, because a threshold failed (abort_on_fail)")

// abortOn gives what ends a run early: errAborted once a threshold has failed for good.
// nil: nothing does.
func abortOn(s *scenario.Scenario) func(*record.Result) error {
	if !s.AbortOnFail {
		return nil
	}
	list := s.ThresholdsOf()
	return func(r *record.Result) error {
		for _, t := range threshold.CheckAll(r, list) {
			if threshold.Decided(t, s.Repeats) {
				return errAborted
			}
		}
		return nil
	}
}
