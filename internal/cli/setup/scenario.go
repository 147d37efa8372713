package setup

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/schema"
	"github.com/upflab/upflab/internal/text/spelling"
)

func newScenario() *cobra.Command {
	c := &cobra.Command{Use: "scenario", Short: "List and show the built-in scenarios", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listScenarios(c, false) }}
	keys := &cobra.Command{Use: "keys [SECTION]", Short: "List the keys of a scenario, or of one of its sections", Args: cobra.MaximumNArgs(1)}
	keysAsJSON := console.JSONFlag(keys)
	keys.RunE = func(c *cobra.Command, args []string) error { return listKeys(c, strings.Join(args, ""), *keysAsJSON) }
	c.AddCommand(
		console.ListCommand("list", "List the built-in scenarios", listScenarios),
		&cobra.Command{Use: "show NAME", Short: "Print a built-in scenario, as a start for yours", Args: cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				text, err := scenario.Source(args[0])
				if err != nil {
					return exit.WrongConfig(err)
				}
				_, err = c.OutOrStdout().Write(text)
				return err
			}},
		keys,
		console.ListCommand("figures", "List the figures that a threshold can be on", listFigures),
	)
	return c
}

func listFigures(c *cobra.Command, asJSON bool) error {
	type entry struct {
		Name string `json:"name"`
		Unit string `json:"unit"`
		Doc  string `json:"doc"`
	}
	var list console.Listing
	var entries []entry
	for _, f := range figure.All() {
		entries = append(entries, entry{f.Name, string(f.Unit), f.Doc})
		list.Rows = append(list.Rows, []string{f.Name, string(f.Unit), f.Doc})
	}
	list.Entries = entries
	return list.Print(c.OutOrStdout(), asJSON)
}

func listScenarios(c *cobra.Command, asJSON bool) error {
	type entry struct {
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	all, err := scenario.List()
	if err != nil {
		return err
	}
	var list console.Listing
	var entries []entry
	for _, e := range all {
		entries = append(entries, entry{e.Name, e.Title, e.Description})
		list.Rows = append(list.Rows, []string{e.Name, e.Title})
	}
	list.Entries = entries
	return list.Print(c.OutOrStdout(), asJSON)
}

// listedKey is a key as --json prints it.
type listedKey struct {
	Path    string `json:"path"`
	Takes   string `json:"takes"`
	Unit    string `json:"unit"`
	Default string `json:"default"`
	Example string `json:"example"`
	Doc     string `json:"doc"`
	Section bool   `json:"section"`
}

// keysOf are the keys of a section, which is a key too; "": all.
func keysOf(section string) (list []schema.Key) {
	for _, k := range schema.Keys() {
		if section == "" || k.Path == section || strings.HasPrefix(k.Path, section+".") {
			list = append(list, k)
		}
	}
	return list
}

// listKeys writes what each key takes and means.
func listKeys(c *cobra.Command, section string, asJSON bool) error {
	keys := keysOf(section)
	if len(keys) == 0 {
		var names []string
		for _, k := range schema.Keys() {
			names = append(names, k.Path)
		}
		return exit.WrongConfig(fmt.Errorf("a scenario has no key %q%s; `upflab scenario keys` lists all keys", section,
			spelling.DidYouMean(section, names)))

	}
	w := c.OutOrStdout()
	if asJSON {
		var entries []listedKey
		for _, k := range keys {
			entries = append(entries, listedKey{k.Path, k.Takes(), k.Unit, k.Default, k.Example, k.Doc, k.Section})
		}
		return console.Listing{Entries: entries}.Print(w, true)
	}
	for _, k := range keys {
		text := fmt.Sprintf("%s: %s\n    %s", k.Path, takes(k), k.Doc)
		if width := console.Terminal(w); width > 0 {
			text = console.Fitted(text, width)
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

func takes(k schema.Key) string {
	text := k.Takes()
	if k.Default != "" {
		text += "; default " + k.Default
	}
	return text
}
