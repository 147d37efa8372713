package flows

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Invalid lists the flows that are not valid, with the reasons.
func Invalid(v *view.Run) block.Section {
	var items []block.Item
	all := 0
	for _, kind := range record.FlowKinds() {
		for _, g := range v.Flows(kind) {
			for _, f := range g.All {
				all++
				if !f.Valid {
					items = append(items, block.Item{Text: fmt.Sprintf("%s, %s, repeat %d: %s", g.UPF.Label, g.Name(),
						f.Repeat, strings.Join(f.Reasons, "; "))})
				}
			}
		}
	}
	if len(items) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Flows that are not valid", Blocks: []block.Block{
		block.Note{Tone: block.Warn,
			Text: fmt.Sprintf("%d of %s not valid; no mean rests on them where valid ones exist", len(items),
				units.Plural(all, "flow"))},
		block.List{Items: items}}}
}
