package run

import (
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// Failures is the log of each UPF that failed. In a page it is with the UPF.
func Failures(v *view.Run) block.Section {
	s := block.Section{Title: "Logs of what failed", Only: block.Text}
	for _, d := range v.UPFs {
		if lines := block.PrintableLines(d.LogTail); d.Failed() && len(lines) > 0 {
			s.Blocks = append(s.Blocks, block.Note{Text: d.Label}, block.Code{Lines: lines})
		}
	}
	return s
}
