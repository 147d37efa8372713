package measure

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wrap"
)

// showRunHelp is the help of `run`; with the name of a built-in scenario that scenario's: what it
// measures, the flags that it takes, and the settings that make it what it is.
func showRunHelp(c *cobra.Command, _ []string) {
	if args := c.Flags().Args(); len(args) == 1 {
		if s, err := scenario.Get(args[0]); err == nil {
			showScenarioHelp(c, s)
			return
		}
	}
	console.Help(c, nil)
	w := c.OutOrStdout()
	fmt.Fprintln(w, "\nScenarios, each with a help page, as in `upflab run stress --help`:")
	entries, err := scenario.List()
	if err != nil {
		return // a test holds the built-in scenarios
	}
	var list console.Listing
	for _, e := range entries {
		list.Rows = append(list.Rows, []string{"  " + e.Name, e.Title})
	}
	var b strings.Builder
	list.Table(&b, console.Columns(w))
	io.WriteString(w, b.String()) // a write that fails is noticed by the stream
}

func showScenarioHelp(c *cobra.Command, s *scenario.Scenario) {
	w := c.OutOrStdout()
	width := console.Columns(w)
	fmt.Fprintln(w, console.Fitted(s.Title, width))
	for _, paragraph := range strings.Split(strings.TrimSpace(s.Description), "\n\n") {
		fmt.Fprintln(w, "\n"+strings.Join(wrap.Lines(paragraph, width), "\n"))
	}
	fmt.Fprintf(w, "\nUsage:\n  %s %s [flags]\n\nExample:\n  %s %s --dut builtin:xdp%s\n", c.CommandPath(), s.Name, c.CommandPath(), s.Name,
		exampleOf(s))
	fmt.Fprintln(w, "\n"+console.Fitted("Settings of this scenario, for --set KEY=VALUE (all keys: upflab scenario keys):", width))
	for _, k := range settingsOf(s.Name) {
		lead := fmt.Sprintf("  %s=%s  ", k.Path, k.Value)
		if k.Value == "" {
			lead = fmt.Sprintf("  %s: see upflab scenario show %s  ", k.Path, s.Name)
		}
		if len(lead) > width/2 {
			fmt.Fprintln(w, strings.TrimRight(lead, " "))
			lead = "      "
		}
		for _, line := range wrap.Lines(k.Doc, width-len(lead)) {
			fmt.Fprintln(w, strings.TrimRight(lead+line, " "))
			lead = strings.Repeat(" ", min(len(lead), width/2))
		}
	}
	fmt.Fprintf(w, "\nFlags:\n%s", flagsOf(c, s).FlagUsagesWrapped(width))
}

func exampleOf(s *scenario.Scenario) string {
	if s.OfCases() {
		return " --case ID"
	}
	return ""
}

// settingsOf are those of a built-in scenario's file, in its order, with what each key means.
func settingsOf(name string) []scenario.Assignment {
	set, err := scenario.SetBy(name)
	if err != nil {
		return nil // the name is that of a scenario that was read
	}
	return slices.DeleteFunc(set, func(a scenario.Assignment) bool {
		return slices.Contains([]string{"name", "title", "description", "kind"}, a.Path) || strings.HasPrefix(a.Path, "study.")
	})
}

// flagsOf are the flags that a scenario takes. --case is left out where it has no cases, and
// --i-am-allowed-to-attack where it does not attack.
func flagsOf(c *cobra.Command, s *scenario.Scenario) *pflag.FlagSet {
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	shown.SortFlags = c.LocalFlags().SortFlags
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "case":
			if !s.OfCases() {
				return
			}
		case "i-am-allowed-to-attack":
			if s.Kind != scenario.KindAttack {
				return
			}
		}
		shown.AddFlag(f)
	})
	return shown
}
