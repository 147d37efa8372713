package prove

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/check/benchmark"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/builtin"
	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/scratch"
	"github.com/upflab/upflab/internal/text/spelling"
)

func newBench() *cobra.Command {
	only := ""
	var scaling benchmark.Scaling
	c := &cobra.Command{
		Use: "bench", Short: "Measure upflab itself: how fast and how exact the bench is on this machine", Args: cobra.NoArgs,
		Example: `  sudo upflab bench
  sudo upflab bench --only page
  sudo upflab bench --cores 0-3 --dut-cores 4-7`,
		RunE: func(c *cobra.Command, _ []string) error { return bench(c, only, scaling) },
	}
	c.Flags().StringVar(&only, "only", "", "make one `MEASUREMENT`: "+strings.Join(benchmark.Names(), ", "))
	c.Flags().StringVar((*string)(&scaling.Senders), "cores", "", "measure instead how the rate grows with the sending `CPUS`, as 0-3")
	c.Flags().StringVar((*string)(&scaling.DUT), "dut-cores", string(scenario.AnyCPU),
		"with --cores: `CPUS` that forward; -1: upflab chooses one")
	return c
}

func bench(c *cobra.Command, only string, scaling benchmark.Scaling) error {
	if only != "" && !slices.Contains(benchmark.Names(), only) {
		return exit.WrongUsage(c, fmt.Errorf("--only %s: there is no such measurement%s; there are: %s", only, spelling.DidYouMean(only, benchmark.Names()), strings.Join(benchmark.Names(), ", ")))
	}
	if err := prepare.Machine(c.ErrOrStderr()); err != nil {
		return err
	}
	logs, err := scratch.New("bench")
	if err != nil {
		return err
	}
	defer logs.Close()
	version := tool.Facts().Version
	b := &benchmark.Bench{
		Wire:    dut.Target{Driver: wire.Driver{Version: version}},
		Builtin: dut.Target{Driver: builtin.Driver{Version: version}, Mode: "xdp"},
		Dir:     logs.Path, Only: only, Begin: prepare.Result,
		Say: func(what string) { fmt.Fprintln(c.ErrOrStderr(), "measuring", what) },
	}
	var rows []benchmark.Row
	var failed error
	if scaling.Senders != "" {
		rows, failed = b.Cores(c.Context(), scaling)
	} else {
		rows, failed = b.All(c.Context())
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	missed := 0
	for _, r := range rows {
		verdict := "ok"
		if !r.OK {
			verdict = "MISSED"
			missed++
		}
		if r.Target == "" {
			verdict = ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.What, r.Value, r.Target, verdict)
	}
	if err := errors.Join(failed, w.Flush()); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d figures missed their target: is the machine busy?", missed, len(rows))
	}
	return nil
}
