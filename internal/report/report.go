// Package report turns a result into bytes for people: a table for the
// terminal, report.md and report.html. Its functions are pure: the same result
// gives the same bytes.
//
// Three rules hold in all of them. A rate that something other than the DUT
// limited is preceded by "≥" and never called the DUT's maximum. A trial that
// is not valid is shown, marked, and left out of every median that has a valid
// one to use. What was not measured is "n/a".
package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/upflab/upflab/internal/record"
)

// Exporter writes a result in one format. It fails only when w does, or when
// there is no result.
type Exporter func(w io.Writer, r *record.Result) error

var errNoResult = errors.New("there is no result to report: load result.json first")

// write puts a whole report out at once, so that a reader never sees half.
func write(w io.Writer, what string, body []byte) error {
	if _, err := w.Write(body); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}
