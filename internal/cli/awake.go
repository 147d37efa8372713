package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/upflab/upflab/internal/awake"
	"github.com/upflab/upflab/internal/host"
)

// newStayAwake is what a run starts of itself (host.Claim.StayAwake).
func newStayAwake() *cobra.Command {
	return &cobra.Command{
		Use: host.AwakeCommand + " CPU", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Run on a CPU that has nothing to do, so that it does not sleep",
		RunE: func(c *cobra.Command, args []string) error {
			cpu, err := strconv.Atoi(args[0])
			if err != nil {
				return fmt.Errorf("CPU %q: a number is needed", args[0])
			}
			return awake.Spin(cpu, func() { fmt.Fprintln(c.OutOrStdout(), "awake") })
		},
	}
}
