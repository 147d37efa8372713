package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/check/doctor"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/scenario"
)

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Show what this machine can do, and how to fix what it cannot", Args: cobra.NoArgs,
		Long: `Examine this machine: CPUs, kernel, privileges, and a short measurement from end to
end. Each line is

  ok       there
  warn     a run works without it, but its numbers suffer
  missing  a run needs it
  untried  not checked, because something else is missing
  busy     not decided, because other programs use the machine now
  info     good to know

with the way to fix it below. Checks that need network namespaces make their own and
remove them. The exit status is 0 when everything that a run needs is there.`,
		RunE: func(c *cobra.Command, _ []string) error { return examine(c) },
	}
}

func examine(c *cobra.Command) error {
	s, err := scenario.Defaults()
	if err != nil {
		return err
	}
	version := tool.Facts().Version
	targets, err := drivers.Targets([]string{"builtin"}, s, version) // and the wire
	if err != nil {
		return err
	}
	summary, printer := doctor.Summary{}, doctor.NewPrinter(c.OutOrStdout())
	err = doctor.Examine(c.Context(), doctor.Config{DUTs: drivers.List(version), Targets: targets}, func(f doctor.Finding) {
		summary.Add(f)
		printer.Print(f)
	})
	if errors.Is(err, context.Canceled) {
		return exit.InterruptedError("the examination is not finished")
	}
	if err != nil {
		return fmt.Errorf("examine this machine: %w", err)
	}
	fmt.Fprintln(c.OutOrStdout())
	if !summary.Ready() {
		return errors.New(summary.String())
	}
	fmt.Fprintln(c.OutOrStdout(), summary)
	return nil
}
