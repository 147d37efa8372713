package read

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/junit"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/scenario"
)

func newCheck() *cobra.Command {
	var texts []string
	format := "text"
	c := &cobra.Command{
		Use: "check DIR", Args: cobra.ExactArgs(1),
		Short: "Check a result against thresholds (pass, fail, inconclusive); for CI",
		Long: `Check the result in DIR, the folder of a run or its result.json, against the thresholds of
its scenario, or against those given. For each UPF and load it prints pass, fail or inconclusive.

A threshold is FIGURE OPERATOR LIMIT [@ WHERE]: see docs/gates.md; "upflab scenario
figures" lists the figures.

Exit status: 4 when a threshold failed; 3 when one is inconclusive; 0 when all pass.
It is 2 when a threshold cannot be meant, such as a name that the run does not have.`,
		Example: `  upflab check results/last
  upflab check results/last --threshold 'latency.p99 < 100us @ uplink 500k'
  upflab check results/last --threshold 'rx_pps >= 80% of wire @ max' --format markdown`,
		RunE: func(c *cobra.Command, args []string) error { return check(c, args[0], texts, format) },
	}
	c.Flags().StringArrayVar(&texts, "threshold", nil, "check this `THRESHOLD` in place of the scenario's; may be repeated")
	c.Flags().StringVar(&format, "format", format, "`FORMAT` of the output: text, markdown or junit")
	return c
}

func check(c *cobra.Command, path string, texts []string, format string) error {
	write, err := checksIn(format)
	if err != nil {
		return exit.WrongUsage(c, err)
	}
	r, err := inputs.LoadResult(path)
	if err != nil {
		return err
	}
	list, err := thresholdsFor(r, texts)
	if err != nil {
		return exit.WrongConfig(err)
	}
	r.Thresholds = threshold.CheckAll(r, list)
	if err := write(c.OutOrStdout(), r); err != nil {
		return err
	}
	failed, untold := exit.OfThresholds(r.Thresholds)
	if failed != nil {
		return failed
	}
	return untold
}

// thresholdsFor are those given, or else those of the result's scenario.
func thresholdsFor(r *record.Result, texts []string) (list []threshold.Threshold, err error) {
	if len(texts) == 0 {
		s, err := scenario.Read([]byte(r.Settings), "the scenario of the result")
		if err != nil {
			return nil, err
		}
		texts = s.Thresholds
	}
	for _, text := range texts {
		t, err := threshold.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--threshold: %w", err)
		}
		list = append(list, t)
	}
	var labels []string
	for i := range r.DUTs {
		labels = append(labels, r.DUTs[i].Label())
	}
	if err := threshold.CheckNames(list, labels); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("the scenario of the result has no thresholds: give them with --threshold, as in --threshold 'rx_pps >= 1M'")
	}
	return list, nil
}

func checksIn(format string) (func(io.Writer, *record.Result) error, error) {
	blocks := func(write func(io.Writer, block.Document) error) func(io.Writer, *record.Result) error {
		return func(w io.Writer, r *record.Result) error { return write(w, sections.Thresholds(r)) }
	}
	switch format {
	case "text":
		return blocks(console.Document), nil
	case "markdown":
		return blocks(markdown.Write), nil
	case "junit":
		return junit.Write, nil
	}
	return nil, fmt.Errorf("unknown --format %q: it is text, markdown or junit", format)
}
