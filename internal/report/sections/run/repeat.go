package run

import (
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Repeat is the command line and the settings with which the run can be repeated.
func Repeat(v *view.Run) block.Section {
	return block.Section{Title: "How to repeat it", Only: block.Pages, Blocks: []block.Block{
		block.Code{Lines: []string{units.OrNone(block.CommandLine(v.Command))}},
		block.Section{Title: "Settings, the whole scenario as it was run", Fold: true,
			Blocks: []block.Block{block.Code{Lines: block.PrintableLines(v.Settings)}}},
	}}
}

// Notes are doubts about the run as a whole.
func Notes(v *view.Run) block.Section {
	list := notes(v)
	if len(list) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Notes", Blocks: []block.Block{block.List{Items: block.Texts(list)}}}
}
