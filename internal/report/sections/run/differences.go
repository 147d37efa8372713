package run

import (
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// Differences are what the figures are not when somebody else's generator took them.
func Differences(v *view.Run) block.Section {
	if len(v.Engine.Differences) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Measured by " + v.Engine.Name, Blocks: []block.Block{block.List{Items: block.Texts(v.Engine.Differences)}},
		Hint: "What these figures are not, compared with those of upflab's own engines."}
}
