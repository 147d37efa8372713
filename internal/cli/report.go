package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/published"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report"
	"github.com/upflab/upflab/internal/store"
)

func newReport() *cobra.Command {
	withPublished := false
	c := &cobra.Command{
		Use: "report DIR", Short: "Render a result again: report.md, report.html and the table here", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return renderAgain(c.OutOrStdout(), args[0], withPublished)
		},
	}
	c.Flags().BoolVar(&withPublished, "published", false,
		"show what studies published of the same UPFs beside the figures, and say what can be compared")
	return c
}

// renderAgain writes the reports of a result into its folder, and the table.
func renderAgain(out io.Writer, dir string, withPublished bool) error {
	r, err := store.Load(dir)
	if err != nil {
		return err
	}
	var beside report.Beside
	if withPublished {
		if beside.Published, err = published.Studies(); err != nil {
			return err
		}
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	if err := writeReports(dir, r, beside); err != nil {
		return err
	}
	if err := beside.Text(out, r); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s\n", filepath.Join(dir, "report.html"))
	return nil
}

// writeReports renders the result into its folder.
func writeReports(dir string, r *record.Result, beside report.Beside) error {
	for name, render := range map[string]report.Exporter{"report.md": beside.Markdown, "report.html": beside.HTML} {
		var b bytes.Buffer
		if err := render(&b, r); err != nil {
			return fmt.Errorf("render %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write report: %w; the result is in %s, `upflab report %s` renders it again", err,
				filepath.Join(dir, store.FileName), dir)
		}
	}
	return nil
}
