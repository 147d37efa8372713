package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/results/verify"
	"github.com/upflab/upflab/internal/text/units"
)

func newVerify() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "verify DIR", Args: cobra.ExactArgs(1), Short: "Compute the figures of a result again from its raw data",
		Long: `Compute the figures of a result again from the raw data in its folder, and list each that differs.
A run keeps per trial what was counted in each 1.05 ms, its histograms, CPU times and counters in
raw/. Every rate, loss, quantile, interval, verdict and threshold follows from them.

The exit status is 0 if all agree, and 1 if a figure differs. It is 2 if there is nothing to
compare with: no raw data, those of another run, or a file that is cut off.`,
		Example: `  upflab verify results/last
  upflab verify --all results/last    # list each figure that differs, not the first 20`,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := verify.Folder(args[0])
			if err != nil {
				return configError{err}
			}
			return showVerified(c.OutOrStdout(), r, all)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "list each figure that differs, not the first 20")
	return c
}

// differError ends a verification that found figures which the raw data do not come to.
type differError int

func (e differError) Error() string {
	return fmt.Sprintf("%s of the result from what the raw data come to", differs(int(e)))
}

func differs(n int) string {
	if n == 1 {
		return "1 value differs"
	}
	return fmt.Sprintf("%d values differ", n)
}

func showVerified(w io.Writer, r *verify.Report, all bool) error {
	fmt.Fprintf(w, "%s computed again from raw data: %s\n", units.Plural(r.Trials, "trial"), agree(r))
	for i, d := range r.Differs {
		if i == 20 && !all {
			fmt.Fprintf(w, "  and %d more: see them with --all\n", len(r.Differs)-i)
			break
		}
		fmt.Fprintf(w, "  %s is %s, and the raw data come to %s\n", d.Path, orNothing(d.Has), orNothing(d.Want))
	}
	numbers := 0
	for _, n := range r.Not {
		numbers += n.Numbers
	}
	if numbers > 0 {
		fmt.Fprintf(w, "Not computed again: %s that do not follow from the raw data\n", units.Plural(numbers, "number"))
	}
	for _, n := range r.Not {
		fmt.Fprintf(w, "  %-26s %5d   %s\n", n.What, n.Numbers, n.Why)
	}
	if len(r.Differs) > 0 {
		return differError(len(r.Differs))
	}
	return nil
}

func agree(r *verify.Report) string {
	if len(r.Differs) == 0 {
		return fmt.Sprintf("all %d values agree", r.Agree)
	}
	return fmt.Sprintf("%d values agree, %s", r.Agree, differs(len(r.Differs)))
}

func orNothing(text string) string {
	if text == "" {
		return "not there"
	}
	return text
}
