package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/plainyaml"
	"github.com/upflab/upflab/internal/text/safefile"
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
		&cobra.Command{Use: "keys [SECTION]", Short: "List the keys of a scenario, or of one of its sections", Args: cobra.MaximumNArgs(1),
			RunE: func(c *cobra.Command, args []string) error { return listKeys(c, strings.Join(args, "")) }},
		&cobra.Command{Use: "figures", Short: "List the figures that a threshold can be on", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return listFigures(c) }},
	)
	return c
}

func listFigures(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, f := range figure.All() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, f.Unit, f.Doc)
	}
	return w.Flush()
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

// listKeys writes what each key takes and means; section is a key too.
func listKeys(c *cobra.Command, section string) error {
	found := false
	for _, k := range scenario.Keys() {
		if section != "" && k.Path != section && !strings.HasPrefix(k.Path, section+".") {
			continue
		}
		found = true
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%s: %s\n    %s\n", k.Path, takes(k), k.Doc); err != nil {
			return err
		}
	}
	if !found {
		return configError{fmt.Errorf("a scenario has no key %q; `upflab scenario keys` lists all keys", section)}
	}
	return nil
}

func takes(k scenario.Key) string {
	text := k.Takes()
	if k.Default != "" {
		text += "; default " + k.Default
	}
	return text
}

// isPath reports whether a scenario is named by its file.
func isPath(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(name, filepath.Separator)
}

// openScenario reads a scenario by its name in the catalog or by its path, which ends
// in .yaml or .yml or has a slash in it.
func openScenario(nameOrPath string, sets []string, full bool) (*scenario.Scenario, error) {
	if !isPath(nameOrPath) {
		return scenario.Open(nameOrPath, sets, full)
	}
	data, err := safefile.Read(nameOrPath, plainyaml.Small)
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w; name a .yaml file, or a scenario of `upflab scenario list`", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s is empty: a scenario has at least a name; `upflab scenario show quick` prints one to start from", nameOrPath)
	}
	return scenario.OpenText(data, nameOrPath, sets, full)
}
