package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/changes"
	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// historyFlags are the flags of `upflab history`.
type historyFlags struct {
	history.Filter
	page, format string
	gate         int
}

func newHistory() *cobra.Command {
	var f historyFlags
	c := &cobra.Command{
		Use: "history [DIR]", Args: cobra.MaximumNArgs(1),
		Short: "Show each figure over all runs in a folder, and where it changed",
		Long: `Read all results below a folder, results when none is given, and show each figure over
the runs, by scenario, machine and UPF, and where its level changed.

Where the machine drifted, figures are divided by those of wire in the same run.

Exit status with --gate N: 4 when a figure of a UPF became worse within its last N runs,
and stayed worse for four runs or more. It is 2 when there is no run, else 0.`,
		Example: `  upflab history
  upflab history results --dut eupf:native --html trends.html
  upflab history /srv/nightly --scenario load-latency --gate 5`,
		RunE: func(c *cobra.Command, args []string) error {
			return showHistory(c, inputs.ResultsIn(args), f)
		},
	}
	c.Flags().StringVar(&f.DUT, "dut", "", "only this DUT, `NAME[:MODE]`")
	c.Flags().StringVar(&f.Scenario, "scenario", "", "only runs of this `SCENARIO`")
	c.Flags().StringVar(&f.Machine, "machine", "", "only machines with this `TEXT` in their name or CPU")
	c.Flags().StringVar(&f.Metric, "metric", "", "only this `FIGURE`, such as rx_pps (see upflab compare --metrics)")
	c.Flags().StringVar(&f.page, "html", "", "write a page with charts into this `FILE`, too")
	c.Flags().StringVar(&f.format, "format", "text", "`FORMAT` of the output: text, markdown or json")
	runflags.Whole(c.Flags(), &f.gate, "gate", 0, changes.Bad+1, "exit status 4 when a figure became worse within its last `N` runs, and stayed so for four")
	return c
}

func showHistory(c *cobra.Command, dir string, f historyFlags) error {
	write, err := historyIn(f.format)
	if err != nil {
		return exit.WrongUsage(c, err)
	}
	if f.Metric != "" {
		m := compare.Named(f.Metric)
		if err := m.Check(); err != nil {
			return exit.WrongUsage(c, fmt.Errorf("--metric: %w", err))
		}
		f.Metric = string(m)
	}
	h, err := readHistory(c.Context(), dir, f.Filter)
	if err != nil {
		return err
	}
	if f.gate > 0 && len(h.Series) == 0 {
		return exit.WrongConfig(fmt.Errorf("--gate %d: no run below %s has a figure that you ask for: name the folder that has the results, "+
			"and check --dut, --scenario, --machine and --metric", f.gate, dir))

	}
	if err := write(c.OutOrStdout(), h); err != nil {
		return err
	}
	if f.page != "" {
		var page bytes.Buffer
		if err := html.Write(&page, trends.Report(h)); err != nil {
			return err
		}
		if err := atomicfile.Write(f.page, page.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write the page: %w", err)
		}
		fmt.Fprintf(c.ErrOrStderr(), "page: %s\n", f.page)
	}
	return historyGate(h, f.gate)
}

// readHistory brings the index up to date and reads it.
func readHistory(ctx context.Context, dir string, f history.Filter) (trends.History, error) {
	x, err := history.Open(dir)
	if err != nil {
		return trends.History{}, exit.WrongConfig(err)
	}
	return trends.Read(ctx, x, f)
}

func historyIn(format string) (func(io.Writer, trends.History) error, error) {
	switch format {
	case "text":
		return func(w io.Writer, h trends.History) error { return console.Document(w, trends.Report(h)) }, nil
	case "markdown":
		return func(w io.Writer, h trends.History) error { return markdown.Write(w, trends.Report(h)) }, nil
	case "json":
		return func(w io.Writer, h trends.History) error {
			return console.JSON(w, struct {
				Runs   []*history.Run    `json:"runs"`
				Series []*history.Series `json:"series"`
			}{h.Runs, h.Series})
		}, nil
	}
	return nil, fmt.Errorf("unknown --format %q: it is text, markdown or json", format)
}

// historyGate fails when a UPF's figure became worse within the last runs.
func historyGate(h trends.History, last int) error {
	if last == 0 {
		return nil
	}
	var all []error
	for _, r := range history.Regressions(h.Series, last) {
		all = append(all, fmt.Errorf("%s became worse within its last %d runs: %s by %s since %s", r.Of.DUT, last,
			comparison.MetricTitle(r.Of.Metric), comparison.Change(r.Of.Metric, r.Ratio), r.Of.Points[r.At].Run.Path))
	}
	if len(all) > 0 {
		return exit.FoundWorse(errors.Join(all...))
	}
	return nil
}
