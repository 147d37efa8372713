package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/report"
	"github.com/upflab/upflab/internal/result"
)

func newReport() *cobra.Command {
	return &cobra.Command{
		Use: "report DIR", Short: "Render a result again: report.md, report.html and the table here", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := result.Load(args[0])
			if err != nil {
				return err
			}
			dir := args[0]
			if info, err := os.Stat(dir); err == nil && !info.IsDir() {
				dir = filepath.Dir(dir)
			}
			if err := writeReports(dir, r); err != nil {
				return err
			}
			if err := report.Text(c.OutOrStdout(), r); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "\n%s\n", filepath.Join(dir, "report.html"))
			return nil
		},
	}
}

// writeReports renders the result into its folder.
func writeReports(dir string, r *result.Result) error {
	for name, render := range map[string]func(io.Writer, *result.Result) error{
		"report.md": report.Markdown, "report.html": report.HTML,
	} {
		var b bytes.Buffer
		if err := render(&b, r); err != nil {
			return fmt.Errorf("render %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write report: %w; the result is in %s, `upflab report %s` renders it again", err,
				filepath.Join(dir, result.FileName), dir)
		}
	}
	return nil
}
