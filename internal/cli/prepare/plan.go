package prepare

import (
	"errors"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/scenario"
)

// AbsentError says of each UPF that is not installed how to get it.
type AbsentError []error

func (e AbsentError) Error() string { return errors.Join(e...).Error() }

// OrNil is the error that there is.
func (e AbsentError) OrNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Targets are UPFs by their names, the references first. absent says how to get those that are not installed.
func Targets(names []string, s *scenario.Scenario) (list []dut.Target, absent AbsentError, err error) {
	return drivers.Planned(names, s, tool.Facts().Version)
}

// CheckPlan refuses a plan that cannot be carried out anywhere.
func CheckPlan(p *plan.Plan) error {
	if err := p.Check(); err != nil {
		return exit.WrongConfig(err)
	}
	return nil
}

// CheckThresholdNames refuses thresholds on DUTs that are not in the run.
func CheckThresholdNames(s *scenario.Scenario, targets []dut.Target) error {
	var labels []string
	for _, t := range targets {
		labels = append(labels, t.Label())
	}
	if err := s.ThresholdNames(labels); err != nil {
		return exit.WrongConfig(err)
	}
	return nil
}
