package cli

import (
	"errors"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/scenario"
)

// absentError says of each UPF that is not installed how to get it.
type absentError []error

func (e absentError) Error() string { return errors.Join(e...).Error() }

// orNil is the error that there is.
func (e absentError) orNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// targets are UPFs by their names, the references first. absent says how to get those that are not installed.
func targets(names []string, s *scenario.Scenario) (list []dut.Target, absent absentError, err error) {
	return drivers.Planned(names, s, tool().Version)
}

// checkPlan refuses a plan that cannot be carried out anywhere.
func checkPlan(plan *campaign.Plan) error {
	if err := plan.Check(); err != nil {
		return wrongConfig(err)
	}
	return nil
}

// checkThresholdNames refuses thresholds on DUTs that are not in the run.
func checkThresholdNames(s *scenario.Scenario, targets []dut.Target) error {
	var labels []string
	for _, t := range targets {
		labels = append(labels, t.Label())
	}
	if err := s.ThresholdNames(labels); err != nil {
		return wrongConfig(err)
	}
	return nil
}
