package measure

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/attack"
	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/measure/behaviour/exactness"
	"github.com/upflab/upflab/internal/measure/behaviour/interop"
	"github.com/upflab/upflab/internal/measure/resilience"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/selection"
	"github.com/upflab/upflab/internal/text/units"
)

func newBehaviour() *cobra.Command {
	c := &cobra.Command{Use: "behaviour", Short: "List the cases that test which accepted rules a UPF enforces", Args: cobra.NoArgs,
		Long: `The cases of the enforcement matrix, of attacks, of rates and usage, and incidents. Run
them by

  upflab run behaviour --dut NAME --dut OTHER
  upflab run attack --dut NAME --case attack.known`}
	c.AddCommand(newBehaviourList(), newBehaviourReplay(), newBehaviourReport())
	return c
}

func newBehaviourList() *cobra.Command {
	c := &cobra.Command{Use: "list [ID...]", Short: "List the cases, or show what some of them send"}
	asJSON := console.JSONFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 && !*asJSON {
			for _, s := range suites() {
				s.list(c.OutOrStdout())
			}
			fmt.Fprintln(c.OutOrStdout(), "`upflab behaviour list ID` shows what one sends, or those of a group.")
			return nil
		}
		list := AllCases()
		if len(args) > 0 {
			var err error
			if list, err = selection.Of(list, func(c *behaviour.Case) string { return c.ID }, "case", args); err != nil {
				return exit.WrongConfig(err)
			}
		}
		if *asJSON {
			return console.JSON(c.OutOrStdout(), listedCases(list))
		}
		showCases(c.OutOrStdout(), list)
		return nil
	}
	return c
}

// listedCase is a case as --json prints it.
type listedCase struct {
	ID       string `json:"id"`
	Scenario string `json:"scenario"` // that runs it
	Title    string `json:"title"`
	Clause   string `json:"clause"`
}

// listedCases are those chosen.
func listedCases(chosen []behaviour.Case) (list []listedCase) {
	for _, s := range suites() {
		for _, c := range s.cases {
			if slices.ContainsFunc(chosen, func(o behaviour.Case) bool { return o.ID == c.ID }) {
				list = append(list, listedCase{c.ID, string(s.run), c.Title, c.Clause})
			}
		}
	}
	return list
}

// suite is the cases that one command runs.
type suite struct {
	run    scenario.Kind // and the name of the scenario
	groups [][2]string
	cases  []behaviour.Case
}

// suites are those of all commands that --case is for.
func suites() []suite {
	return []suite{
		{scenario.KindBehaviour, cases.Groups(), cases.All()},
		{scenario.KindAttack, attack.Groups(), attack.Cases(attack.Options{PerSecond: 10_000, For: 10 * time.Second, Seed: 1})},
		{scenario.KindQoS, exactness.Groups(), exactness.Cases(2 * time.Second)},
		{scenario.KindInterop, interop.Groups(), interop.Cases(interop.Dialects())},
		{scenario.KindResilience, [][2]string{{"", "Incidents: mobility and failure"}}, incidents()},
	}
}

// incidents are those of the resilience run, for showing.
func incidents() (list []behaviour.Case) {
	for _, k := range resilience.Kinds() {
		text := fmt.Sprintf("send %.0f packets/s in each direction, of %s; meanwhile: %s", k.PPS, units.Plural(k.UEs, "UE"), k.Title)
		list = append(list, behaviour.Case{ID: k.ID, Title: k.Title, Clause: k.Clause,
			Steps: func(*behaviour.Fixture) []behaviour.Step { return []behaviour.Step{{Text: text}} }})
	}
	return list
}

// AllCases are the cases that --case is for, of all commands.
func AllCases() (list []behaviour.Case) {
	for _, s := range suites() {
		list = append(list, s.cases...)
	}
	return list
}

// list writes a line for each case, by group.
func (s *suite) list(w io.Writer) {
	for _, group := range s.groups {
		fmt.Fprintln(w, group[1])
		for _, c := range s.cases {
			if group[0] == "" || c.Group() == group[0] {
				fmt.Fprintf(w, "  %-38s %s\n", c.ID, c.Title)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s of `upflab run %s --dut NAME`.\n\n", units.Plural(len(s.cases), "case"), s.run)
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
