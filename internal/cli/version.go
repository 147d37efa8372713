package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Show the version", Args: cobra.NoArgs}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *asJSON {
			return printJSON(c.OutOrStdout(), tool())
		}
		_, err := fmt.Fprint(c.OutOrStdout(), versionLine())
		return err
	}
	return c
}
