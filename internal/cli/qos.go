package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/behaviour/exactness"
	"github.com/upflab/upflab/internal/behaviour/matrix"
)

// qosName is what `upflab run` knows the measurements of rates and usage by.
const qosName = "qos-accuracy"

// qosMTU is that of the links: high bit rates take long packets. Native XDP on a veth pair
// allows for 3506.
const qosMTU = 3400

// runQoS measures how exactly UPFs limit and count.
func runQoS(c *cobra.Command, f runFlags) error {
	if !slices.ContainsFunc(f.sets, func(s string) bool { return strings.HasPrefix(s, "mtu=") }) {
		f.sets = append([]string{fmt.Sprintf("mtu=%d", qosMTU)}, f.sets...)
	}
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
	return runCases(c, f, matrix.Plan{Scenario: s, Cases: list, Streams: true})
}
