package run

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/report/sections/view"
)

// excluded says how much of the trials does not count since the machine was disturbed; ""
// where nothing was.
func excluded(v *view.Run) string {
	var windows, of uint64
	var void int
	for _, t := range v.Verdicts() {
		x := t.Excluded
		switch {
		case x == nil:
		case x.Void:
			void++
		default:
			windows, of = windows+x.Windows, of+x.Of
		}
	}
	var text string
	if windows > 0 {
		text = fmt.Sprintf("%.2g %% of the time of the trials does not count: the machine was disturbed then "+
			"(by which program: Evidence of each trial, in report.html)", 100*float64(windows)/float64(of))
	}
	switch {
	case void > 0 && text != "":
		text += "; "
		fallthrough
	case void > 0:
		text += fmt.Sprintf("%d of the trials, disturbed nearly throughout, count as they are", void)
	}
	return text
}

// notes are those of the run, and what its trials have in common.
func notes(v *view.Run) []string {
	if text := excluded(v); text != "" {
		return append(slices.Clone(v.Notes), text)
	}
	return v.Notes
}
