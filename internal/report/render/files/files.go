// Package files writes the reports of a result into its folder.
package files

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// Write renders a report into the folder of its result, as store.ReportMarkdown and
// store.ReportHTML. What was there with these names is replaced.
func Write(dir string, d block.Document) error {
	for name, render := range map[string]func(io.Writer, block.Document) error{
		store.ReportMarkdown: markdown.Write, store.ReportHTML: html.Write,
	} {
		var b bytes.Buffer
		if err := render(&b, d); err != nil {
			return fmt.Errorf("render %s: %w", name, err)
		}
		if err := atomicfile.Write(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write report: %w; the result is in %s, `upflab report %s` renders it again", err,
				filepath.Join(dir, store.FileName), dir)
		}
	}
	return nil
}
