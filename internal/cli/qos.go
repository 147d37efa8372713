package cli

import (
	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/behaviour/exactness"
)

// qosName is what `upflab run` knows the measurements of rates and usage by.
const qosName = "qos-accuracy"

// runQoS measures how exactly UPFs limit and count.
func runQoS(c *cobra.Command, f runFlags) error {
	s, err := behaviourScenario(f)
	if err != nil {
		return configError{err}
	}
	list, err := exactness.Select(s.Duration.Duration, f.cases)
	if err != nil {
		return configError{err}
	}
	s.Name, s.Title = qosName, "How exactly UPFs limit and count"
	s.Description = "Maximum bit rates with what passes of one and a half of them, and usage reports against the packets that arrived."
	return runCases(c, f, s, list)
}
