package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/behaviour"
	"github.com/upflab/upflab/internal/behaviour/attack"
	"github.com/upflab/upflab/internal/behaviour/cases"
)

func newBehaviour() *cobra.Command {
	c := &cobra.Command{Use: behaviourName, Short: "What UPFs do with the rules that they accept: the cases", Args: cobra.NoArgs,
		Long: `The cases of the enforcement matrix. Run them by

  upflab run behaviour --dut NAME --dut OTHER`}
	c.AddCommand(newBehaviourList(), newBehaviourReplay())
	return c
}

func newBehaviourList() *cobra.Command {
	return &cobra.Command{Use: "list [ID...]", Short: "List the cases, or show what some of them send",
		RunE: func(c *cobra.Command, args []string) error {
			list, err := selectCases(args)
			if err != nil {
				return configError{err}
			}
			if len(args) > 0 {
				showCases(c.OutOrStdout(), list)
				return nil
			}
			listCases(c.OutOrStdout(), list)
			return nil
		}}
}

// listCases writes a line each, by group.
func listCases(w io.Writer, list []behaviour.Case) {
	for i, group := range cases.Groups() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, group[1])
		for _, c := range list {
			if c.Group() == group[0] {
				fmt.Fprintf(w, "  %-38s %s\n", c.ID, c.Title)
			}
		}
	}
	fmt.Fprintf(w, "\n%d cases. `upflab behaviour list ID` shows what one sends.\n", len(list))
}

// showCases writes the steps of cases.
func showCases(w io.Writer, list []behaviour.Case) {
	for i, c := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n%s\n%s\n", c.ID, c.Title, c.Clause)
		for n, s := range c.Steps(behaviour.Sample()) {
			fmt.Fprintf(w, "%3d. %s\n", n+1, s.Text)
		}
	}
}

// selectCases are those of the matrix, or attacks.
func selectCases(names []string) ([]behaviour.Case, error) {
	for _, name := range names {
		if group, _, _ := strings.Cut(name, "."); group == attackName {
			return attack.Select(attack.Options{PerSecond: 10_000, For: 10 * time.Second, Seed: 1}, names)
		}
	}
	return cases.Select(names)
}
