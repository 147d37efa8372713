package setup

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/scenario"
)

func newDUTDoctor() *cobra.Command {
	var sets []string
	c := &cobra.Command{
		Use: "doctor NAME[:MODE]", Args: cobra.ExactArgs(1),
		Short: "Show what limits a DUT here: settings found, set by upflab, and their cost",
		Long: `Show what limits a DUT here. For each setting of this machine and of the UPF that matters it
prints its value, what upflab sets for a run, what a wrong value costs, and the source. It
changes nothing and starts nothing.

The exit status is 1 when the DUT is not installed; the error says how to get it.`,
		Example: "  upflab dut doctor open5gs\n  upflab dut doctor eupf:generic --set sessions=500",
		RunE: func(c *cobra.Command, args []string) error {
			s, err := scenario.Open("load-latency", sets, false)
			if err != nil {
				return exit.WrongConfig(err)
			}
			t, err := drivers.Find(args[0], tool.Facts().Version)
			if err != nil {
				return err
			}
			return examineDUT(c.OutOrStdout(), t, s)
		},
	}
	c.Flags().StringArrayVar(&sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	return c
}

// examineDUT writes what is known of a target, for a scenario.
func examineDUT(out io.Writer, t dut.Target, s *scenario.Scenario) error {
	info := t.Info()
	version, err := t.Installed()
	absent := err
	if absent != nil {
		fmt.Fprintf(out, "%s: not installed; verified: %s\n", t.Label(), info.Verified)
	} else {
		t.Version = version
		fmt.Fprintf(out, "%s %s; verified: %s\n", t.Label(), console.Dash(version), info.Verified)
	}
	list := t.Doctor(dut.Env{Scenario: s})
	for _, f := range list {
		writeFinding(out, f)
	}
	if len(list) == 0 {
		fmt.Fprintf(out, "\nNo ceilings are known of %s.\n", info.Name)
	}
	for i, line := range append(plan.KnownDefects(t, s), info.Remarks...) {
		if i == 0 {
			fmt.Fprintln(out, "\nTo know of its figures:")
		}
		fmt.Fprintln(out, "  -", line)
	}
	if absent != nil {
		return dut.Missing(info, absent)
	}
	return nil
}

func writeFinding(out io.Writer, f dut.Finding) {
	fmt.Fprintf(out, "\n%s\n", f.What)
	for _, line := range [][2]string{{"found", f.Found}, {"set to", f.Set}, {"cost", f.Cost}, {"source", f.Source}} {
		if line[1] != "" {
			fmt.Fprintf(out, "  %-7s %s\n", line[0], line[1])
		}
	}
}
