package report

import (
	"io"

	"github.com/upflab/upflab/internal/published"
	"github.com/upflab/upflab/internal/record"
)

// Beside is what stands beside a result in its reports. Its methods write what
// the functions of their names do, and that.
type Beside struct {
	// Published are the figures of others, for the UPFs of the result.
	Published []published.Study
}

// Text is the function Text with what stands beside.
func (b Beside) Text(w io.Writer, r *record.Result) error { return writeText(w, r, b) }

// Markdown is the function Markdown with what stands beside.
func (b Beside) Markdown(w io.Writer, r *record.Result) error { return writeMarkdown(w, r, b) }

// HTML is the function HTML with what stands beside.
func (b Beside) HTML(w io.Writer, r *record.Result) error { return writeHTML(w, r, b) }
