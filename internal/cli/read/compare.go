package read

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/report/sections/comparison"
)

func newCompare() *cobra.Command {
	f := flags.Comparison{Threshold: 0.03}
	c := &cobra.Command{
		Use: "compare A [B]", Args: cobra.RangeArgs(1, 2),
		Short: "Compare result B with result A (better, worse, cannot tell); for CI",
		Long: `Compare result B with result A, each the folder of a run or its result.json. Each figure is
better, worse, equal, or cannot tell. Measure both with --set repeats=5 or more: the scatter
of fewer than 3 repeats is unknown.

Where both runs have a wire, its figure of the same repeat is subtracted from latency, CPU and
loss, and divides rates if both move together. A slower machine then does not look like a
slower UPF; --raw compares as measured.

With A alone, compare two UPFs of one run by repeat: the two in it, or those of --dut and
--against. Two builds measured in turn show the smallest differences: upflab run --build.

Exit status: 4 when a figure of a UPF is worse in B by more than --threshold, with 95 %
confidence over all figures. 1 when a UPF failed and was not compared. Else 0.`,
		Example: `  upflab compare results/before results/after
  upflab compare results/before results/after --threshold 5% --format markdown
  upflab compare results/builds
  upflab compare results/three --dut eupf:native --against builtin:xdp`,
		RunE: func(c *cobra.Command, args []string) error { return compareResults(c, args, f) },
	}
	c.Flags().StringVar(&f.DUT, "dut", "", "DUT of A, `NAME[:MODE]`; default: each DUT that both results have; within one run, its first")
	c.Flags().StringVar(&f.Against, "against", "", "DUT of B, `NAME[:MODE]`; default: that of A; within one run, its second")
	c.Flags().Var(&f.Threshold, "threshold", "`RATIO` of how much worse a figure may be (of frame loss: percentage points)")
	c.Flags().StringArrayVar(&f.Noise, "noise", nil,
		"standard deviation between two runs of the same thing, if known: `[FIGURE=]RATIO`; may be repeated")
	c.Flags().BoolVar(&f.Raw, "raw", false, "compare as measured, not by wire")
	c.Flags().StringSliceVar(&f.Metrics, "metrics", nil,
		"compare only `FIGURE,FIGURE...`, such as rx_pps,frame_loss_ratio: fewer figures need fewer repeats")
	c.Flags().StringVar(&f.Format, "format", "text", "`FORMAT` of the output: text, markdown, json, or comment: Markdown for others' result, one word of each text in it")
	return c
}

func compareResults(c *cobra.Command, args []string, f flags.Comparison) error {
	export, err := comparisonIn(f.Format)
	if err != nil {
		return exit.WrongUsage(c, err)
	}
	o, err := f.Options()
	if err == nil {
		err = flags.KnownFigures("--metrics", o.Metrics)
	}
	if err != nil {
		return exit.WrongUsage(c, err)
	}
	a, b, err := loadSides(args)
	if err != nil {
		return err
	}
	if f.Format == formatComment {
		a.Result.CutToWords()
		b.Result.CutToWords()
	}
	made, err := compare.Compare(a, b, o)
	if err != nil {
		return exit.WrongConfig(err)
	}
	if err := export(c.OutOrStdout(), made); err != nil {
		return err
	}
	return gate(made)
}

// exporter writes a comparison in one format.
type exporter func(io.Writer, *compare.Comparison) error

// rendered writes the report of a comparison.
func rendered(write func(io.Writer, block.Document) error) exporter {
	return func(w io.Writer, c *compare.Comparison) error {
		d, err := comparison.Report(c)
		if err != nil {
			return err
		}
		return write(w, d)
	}
}

// formatComment is Markdown about a result whose author is not trusted.
const formatComment = "comment"

func comparisonIn(format string) (exporter, error) {
	switch format {
	case "text":
		return rendered(console.Document), nil
	case "markdown", formatComment:
		return rendered(markdown.Write), nil
	case "json":
		return comparison.JSON, nil
	}
	return nil, fmt.Errorf("unknown --format %q: it is text, markdown, json or comment", format)
}

// loadSides reads A and B; one path is both.
func loadSides(paths []string) (a, b compare.Input, err error) {
	var sides []compare.Input
	for _, path := range paths {
		r, err := inputs.LoadResult(path)
		if err != nil {
			return a, b, err
		}
		sides = append(sides, compare.Input{Name: path, Result: r})
	}
	return sides[0], sides[len(sides)-1], nil
}

// gate turns a comparison into the command's outcome. It names the first figure that is worse.
func gate(c *compare.Comparison) error {
	if len(c.Gate.Worse) > 0 {
		more := ""
		if n := len(c.Gate.Worse) - 1; n > 0 {
			more = fmt.Sprintf(", and %d more", n)
		}
		return exit.FoundWorse(errors.New("B is worse than A: " + comparison.Failure(c.Gate.Worse[0]) + more))
	}
	if len(c.Incomparable) > 0 {
		return errors.New("could not be compared: " + strings.Join(c.Incomparable, "; "))
	}
	return nil
}
