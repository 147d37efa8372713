package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// thresholdError ends a run of which some threshold failed.
type thresholdError []record.Threshold

// Error names the first one.
func (e thresholdError) Error() string {
	more := ""
	if n := len(e) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return "a threshold failed: " + threshold.Words(e[0]) + more
}

// untoldError ends a run of which some threshold cannot be told.
type untoldError []record.Threshold

func (e untoldError) Error() string {
	return fmt.Sprintf("of %s it cannot be told whether they are kept, first %s: %s",
		units.Plural(len(e), "threshold"), threshold.Words(e[0]), e[0].Why)
}

// thresholdsOutcome turns thresholds into the outcome of a run.
func thresholdsOutcome(list []record.Threshold) (failed, untold error) {
	of := func(o record.Outcome) []record.Threshold {
		return slices.DeleteFunc(slices.Clone(list), func(t record.Threshold) bool { return t.Outcome != o })
	}
	if bad := of(record.OutcomeFail); len(bad) > 0 {
		failed = thresholdError(bad)
	}
	if open := of(record.OutcomeCannotTell); len(open) > 0 {
		untold = untoldError(open)
	}
	return failed, untold
}

// checkThresholdNames refuses thresholds on DUTs that are not in the run.
func checkThresholdNames(s *scenario.Scenario, targets []dut.Target) error {
	var labels []string
	for _, t := range targets {
		labels = append(labels, t.Label())
	}
	if err := s.ThresholdNames(labels); err != nil {
		return configError{err}
	}
	return nil
}

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
