package scenario

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// Effective writes a scenario as YAML with every value in it; Read reads it
// back to the same value.
func Effective(s *Scenario) (string, error) {
	data, err := yaml.MarshalWithOptions(s, yaml.IndentSequence(true))
	if err != nil {
		return "", fmt.Errorf("writing the scenario %s as YAML: %w", s.Name, err)
	}
	return string(data), nil
}
