package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/tool"
)

func newVersion() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Show the version", Args: cobra.NoArgs}
	asJSON := console.JSONFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *asJSON {
			return console.JSON(c.OutOrStdout(), tool.Facts())
		}
		_, err := fmt.Fprint(c.OutOrStdout(), tool.VersionLine())
		return err
	}
	return c
}
