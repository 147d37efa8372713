// Package inputs reads what a command line names: scenarios and results.
package inputs

import (
	"bytes"
	"fmt"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/plainyaml"
	"github.com/upflab/upflab/internal/text/safefile"
)

// OpenScenario reads a scenario by its name in the catalog or by its path, which ends
// in .yaml or .yml or has a slash in it.
func OpenScenario(nameOrPath string, sets []string, full bool) (*scenario.Scenario, error) {
	with, err := ReadScenario(nameOrPath, full)
	if err != nil {
		return nil, err
	}
	return with(sets)
}

// ReadScenario reads a scenario once, and gives what opens it with settings.
func ReadScenario(nameOrPath string, full bool) (func(sets []string) (*scenario.Scenario, error), error) {
	if !scenario.IsPath(nameOrPath) {
		return func(sets []string) (*scenario.Scenario, error) { return scenario.Open(nameOrPath, sets, full) }, nil
	}
	data, err := safefile.Read(nameOrPath, plainyaml.Small)
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w; name a .yaml file, or a scenario of `upflab scenario list`", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s is empty: a scenario has at least a name; `upflab scenario show quick` prints one to start from", nameOrPath)
	}
	return func(sets []string) (*scenario.Scenario, error) {
		return scenario.OpenText(data, nameOrPath, sets, full)
	}, nil
}
