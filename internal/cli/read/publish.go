package read

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/serve/pages"
	"github.com/upflab/upflab/internal/text/units"
)

// publishFlags are the flags of `upflab publish`.
type publishFlags struct {
	out, title string
	runs       int
	pins       []string
}

func newPublish() *cobra.Command {
	var f publishFlags
	c := &cobra.Command{
		Use: "publish [DIR]", Args: cobra.MaximumNArgs(1),
		Short: "Write all results below a folder as a site of static pages: leaderboard, history, reports",
		Long: `Write the pages of upflab serve as files, for GitHub Pages or any other web server. They
show the newest results as a leaderboard, all runs with their reports, the history of each
figure, and the enforcement matrix.

The pages need no server: links are relative, and index.html opens from the disk. They show
what result.json contains, including the machine's name and CPU, the names of the results'
folders and their notes.txt, and nothing else of this machine. Publish into the same folder
again to update it.`,
		Example: `  upflab publish --out site
  upflab publish /srv/nightly --out site --title "UPFs, every night" --pin rx_pps`,
		RunE: func(c *cobra.Command, args []string) error {
			return publish(c, inputs.ResultsIn(args), f)
		},
	}
	c.Flags().StringVar(&f.out, "out", "site", "`FOLDER` for the pages: empty, new, or published into before")
	c.Flags().StringVar(&f.title, "title", "UPFs", "`TEXT` above the first page")
	runflags.Whole(c.Flags(), &f.runs, "runs", 300, 0, "write the reports of the newest `N` runs; 0: of all")
	c.Flags().StringArrayVar(&f.pins, "pin", nil, "show this `FIGURE` first in the history, such as rx_pps; may be repeated")
	return c
}

func publish(c *cobra.Command, dir string, f publishFlags) error {
	p := pages.Publication{Out: f.out, Title: f.title, Runs: f.runs}
	if err := flags.KnownFigures("--pin", f.pins); err != nil {
		return exit.WrongUsage(c, err)
	}
	for _, name := range f.pins {
		p.Pins = append(p.Pins, compare.Named(name))
	}
	x, err := history.Open(dir)
	if err != nil {
		return exit.WrongConfig(err)
	}
	n, absent, err := pages.Publish(c.Context(), x, p)
	if err != nil {
		return err
	}
	for _, why := range absent {
		fmt.Fprintf(c.ErrOrStderr(), "warning: left out: %s\n", why)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s in %s: open %s\n", units.Plural(n, "page"), f.out, filepath.Join(f.out, "index.html"))
	return nil
}
