package read

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/report/render/svg"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/results/store"
)

func newReport() *cobra.Command {
	withPublished, figures := false, ""
	c := &cobra.Command{
		Use: "report DIR", Short: "Render a result again: report.md, report.html and the table here", Args: cobra.ExactArgs(1),
		Example: `  upflab report results/20261121-015423-stress
  upflab report results/20261121-015423-stress --figures paper/figures`,
		RunE: func(c *cobra.Command, args []string) error {
			if figures != "" {
				return writeFigures(c.OutOrStdout(), args[0], figures, withPublished)
			}
			return renderAgain(c.OutOrStdout(), args[0], withPublished)
		},
	}
	c.Flags().StringVar(&figures, "figures", "",
		"write the report's figures into this `FOLDER` instead, for a paper: SVG and captions.md")
	c.Flags().BoolVar(&withPublished, "published", false,
		"show what studies published of the same UPFs next to the figures, and what can be compared")
	return c
}

// renderAgain writes the reports of a result into its folder, and the table.
func renderAgain(out io.Writer, dir string, withPublished bool) error {
	d, err := document(dir, withPublished)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	if err := files.Write(dir, d); err != nil {
		return err
	}
	if err := console.Document(out, d); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s\n", filepath.Join(dir, store.ReportHTML))
	return nil
}

// document is the report of a stored result.
func document(dir string, withPublished bool) (block.Document, error) {
	r, err := inputs.LoadResult(dir)
	if err != nil {
		return block.Document{}, err
	}
	var with sections.Options
	if withPublished {
		if with.Published, err = published.Studies(); err != nil {
			return block.Document{}, err
		}
	}
	return sections.Report(r, with)
}

// writeFigures writes the figures of a report as files.
func writeFigures(out io.Writer, dir, folder string, withPublished bool) error {
	d, err := document(dir, withPublished)
	if err != nil {
		return err
	}
	names, err := svg.Write(folder, d)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	for _, name := range names {
		fmt.Fprintln(out, filepath.Join(folder, name)+".svg")
	}
	fmt.Fprintln(out, filepath.Join(folder, "captions.md"))
	return nil
}
