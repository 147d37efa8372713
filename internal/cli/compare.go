package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/report/sections/comparison"
)

// compareFlags are the flags of `upflab compare`.
type compareFlags struct {
	dut, against string
	metrics      []string
	raw          bool
	noise        []string
	threshold    ratio
	format       string
}

func newCompare() *cobra.Command {
	f := compareFlags{threshold: 0.03}
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
	c.Flags().StringVar(&f.dut, "dut", "", "DUT of A, `NAME[:MODE]`; default: each DUT that both results have; within one run, its first")
	c.Flags().StringVar(&f.against, "against", "", "DUT of B, `NAME[:MODE]`; default: that of A; within one run, its second")
	c.Flags().Var(&f.threshold, "threshold", "`RATIO` of how much worse a figure may be (of frame loss: percentage points)")
	c.Flags().StringArrayVar(&f.noise, "noise", nil,
		"standard deviation between two runs of the same thing, if known: `[FIGURE=]RATIO`; may be repeated")
	c.Flags().BoolVar(&f.raw, "raw", false, "compare as measured, not by wire")
	c.Flags().StringSliceVar(&f.metrics, "metrics", nil,
		"compare only `FIGURE,FIGURE...`, such as rx_pps,frame_loss_ratio: fewer figures need fewer repeats")
	c.Flags().StringVar(&f.format, "format", "text", "`FORMAT` of the output: text, markdown, json, or comment: Markdown for others' result, one word of each text in it")
	return c
}

func compareResults(c *cobra.Command, args []string, f compareFlags) error {
	export, err := comparisonIn(f.format)
	if err != nil {
		return wrongUsage(c, err)
	}
	o, err := f.options()
	if err == nil {
		err = knownFigures("--metrics", o.Metrics)
	}
	if err != nil {
		return wrongUsage(c, err)
	}
	a, b, err := loadSides(args)
	if err != nil {
		return err
	}
	if f.format == formatComment {
		a.Result.CutToWords()
		b.Result.CutToWords()
	}
	made, err := compare.Compare(a, b, o)
	if err != nil {
		return wrongConfig(err)
	}
	if err := export(c.OutOrStdout(), made); err != nil {
		return err
	}
	return gate(made)
}

func (f compareFlags) options() (compare.Options, error) {
	o := compare.Options{DUT: f.dut, Against: f.against, Raw: f.raw, Threshold: float64(f.threshold), NoiseOf: map[compare.Metric]float64{}}
	for _, m := range f.metrics {
		o.Metrics = append(o.Metrics, compare.Named(strings.TrimSpace(m)))
	}
	for _, text := range f.noise {
		metric, value, named := strings.Cut(text, "=")
		if !named {
			value = text
		}
		var r ratio
		if err := r.Set(value); err != nil {
			return o, fmt.Errorf("--noise %s: %w", text, err)
		}
		if named {
			o.NoiseOf[compare.Named(metric)] = float64(r)
		} else {
			o.Noise = float64(r)
		}
	}
	return o, nil
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
		return rendered(printed), nil
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
		r, err := loadResult(path)
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
		return foundWorse(errors.New("B is worse than A: " + comparison.Failure(c.Gate.Worse[0]) + more))
	}
	if len(c.Incomparable) > 0 {
		return errors.New("could not be compared: " + strings.Join(c.Incomparable, "; "))
	}
	return nil
}

// ratio is a flag written as "3%" or "0.03".
type ratio float64

// Set reads the flag.
func (r *ratio) Set(text string) error {
	number, hundredths := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return errors.New("not a ratio: write 3% or 0.03")
	}
	if hundredths {
		v /= 100
	}
	if !(v >= 0 && v < 1) {
		return fmt.Errorf("%s is not a ratio from 0 to below 1: write 3%% or 0.03", text)
	}
	*r = ratio(v)
	return nil
}

// String writes it in hundredths.
func (r *ratio) String() string {
	if *r == 0 {
		return "0%"
	}
	return strconv.FormatFloat(float64(*r)*100, 'g', 6, 64) + "%"
}

// Type is what the help calls it.
func (r *ratio) Type() string { return "ratio" }
