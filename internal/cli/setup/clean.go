package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/machine/host"
)

func newClean() *cobra.Command {
	return &cobra.Command{
		Use: "clean", Short: "Remove what killed runs left behind", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			removed, err := host.CleanStale()
			for _, r := range removed {
				fmt.Fprintln(c.OutOrStdout(), "removed", r)
			}
			if err == nil && len(removed) == 0 {
				fmt.Fprintln(c.OutOrStdout(), "nothing to remove")
			}
			return err
		},
	}
}
