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
		Use: host.AwakeCommand + " CPU...", Hidden: true, Args: cobra.MinimumNArgs(1),
		Short: "Run on CPUs that have nothing to do, so that they do not sleep",
		RunE: func(_ *cobra.Command, args []string) error {
			cpus := make([]int, len(args))
			for i, arg := range args {
				var err error
				if cpus[i], err = strconv.Atoi(arg); err != nil {
					return fmt.Errorf("CPU %q: a number is needed", arg)
				}
			}
			return awake.Spin(cpus)
		},
	}
}
