package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/scenario"
)

func newScenario() *cobra.Command {
	c := &cobra.Command{Use: "scenario", Short: "List and show the built-in scenarios", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listScenarios(c) }}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List the built-in scenarios", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return listScenarios(c) }},
		&cobra.Command{Use: "show NAME", Short: "Print a built-in scenario: a start for one of your own", Args: cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				text, err := scenario.Source(args[0])
				if err != nil {
					return configError{err}
				}
				_, err = c.OutOrStdout().Write(text)
				return err
			}},
	)
	return c
}

func listScenarios(c *cobra.Command) error {
	entries, err := scenario.List()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\n", e.Name, e.Title)
	}
	return w.Flush()
}
