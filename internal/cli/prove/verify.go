package prove

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/results/verify"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/units"
)

func newVerify() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "verify DIR", Args: cobra.ExactArgs(1), Short: "Compute the figures of a result again from its raw data",
		Long: `Compute the figures of a result again from the raw data in its folder, and list each that differs.
A run keeps per trial what was counted in each 1.05 ms, its histograms, CPU times and counters in
raw/. Every rate, loss, quantile, interval, verdict and threshold follows from them. Values that
do not follow from them are listed by the names of their fields. Only result.json is checked, not
report.md and report.html: "upflab report" writes these again.

The exit status is 0 if all agree. It is 1 if a figure differs, if a trial lacks its raw data, or
if raw data lack their trial. It is 2 if there is nothing to compare with: no raw data, those of
another run, or a file that is cut off.`,
		Example: `  upflab verify results/last
  upflab verify --all results/last    # list each figure that differs, not the first 20`,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := verify.Folder(args[0])
			if err != nil {
				return exit.WrongConfig(err)
			}
			return showVerified(c.OutOrStdout(), r, all)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "list each figure that differs, not the first 20")
	return c
}

// differError ends a verification of a result that is not what the raw data come to.
type differError struct{ values, trials int }

func (e differError) Error() string {
	if e.values == 0 {
		return unmatched(e.trials) + ": the result is not what the run wrote"
	}
	more := ""
	if e.trials > 0 {
		more = ", and " + unmatched(e.trials)
	}
	return fmt.Sprintf("%s of the result from what the raw data come to%s", differs(e.values), more)
}

func differs(n int) string {
	if n == 1 {
		return "1 value differs"
	}
	return fmt.Sprintf("%d values differ", n)
}

func unmatched(n int) string {
	if n == 1 {
		return "1 trial or record of raw data is without the other"
	}
	return fmt.Sprintf("%d trials or records of raw data are without the other", n)
}

func showVerified(w io.Writer, r *verify.Report, all bool) error {
	fmt.Fprintf(w, "%s computed again from raw data: %s\n", units.Plural(r.Trials, "trial"), agree(r))
	lines := slices.Clone(r.Unmatched)
	for _, d := range r.Differs {
		lines = append(lines, fmt.Sprintf("%s is %s, and the raw data come to %s", d.Path, orNothing(d.Has), orNothing(d.Want)))
	}
	for i, line := range lines {
		if i == 20 && !all {
			fmt.Fprintf(w, "  and %d more: see them with --all\n", len(lines)-i)
			break
		}
		fmt.Fprintf(w, "  %s\n", printable.Line(line))
	}
	values := 0
	for _, n := range r.Not {
		values += n.Values
	}
	if values > 0 {
		fmt.Fprintf(w, "Not computed again: %s that do not follow from the raw data\n", units.Plural(values, "value"))
	}
	for _, n := range r.Not {
		fmt.Fprintf(w, "  %-26s %5d   %s\n", printable.Line(n.What), n.Values, n.Why)
	}
	fmt.Fprintln(w, "Only result.json is checked. `upflab report` writes the report of it again.")
	if len(lines) > 0 {
		return differError{len(r.Differs), len(r.Unmatched)}
	}
	return nil
}

func agree(r *verify.Report) string {
	if len(r.Differs) == 0 && len(r.Unmatched) == 0 {
		return fmt.Sprintf("all %d values agree", r.Agree)
	}
	text := fmt.Sprintf("%d values agree", r.Agree)
	if n := len(r.Differs); n > 0 {
		text += ", " + differs(n)
	}
	if n := len(r.Unmatched); n > 0 {
		text += ", " + unmatched(n)
	}
	return text
}

func orNothing(text string) string {
	if text == "" {
		return "not there"
	}
	return text
}
