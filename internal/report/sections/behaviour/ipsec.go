package behaviour

import (
	"fmt"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// IPsec is what protecting N3 costs a UPF.
func IPsec(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Number("With ESP", "ns a packet"), block.Number("Without", "ns a packet"),
		block.Number("Cost", "ns a packet"), block.Number("Turns", "")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			if x := d.Cases[i].IPsec; x != nil {
				with, without := stats.Median(x.SealedNS), stats.Median(x.ClearNS)
				t.Rows = append(t.Rows, block.Row{Cells: block.Cells(d.Label, fmt.Sprintf("%.0f", with), fmt.Sprintf("%.0f", without),
					fmt.Sprintf("%+.0f", with-without), fmt.Sprint(len(x.SealedNS)))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Cost of IPsec on N3",
		Hint: "CPU time of the UPF, and of the kernel's threads that receive for it, over packets that arrive, half of them in each direction. " +
			"Medians of turns with and without.", Blocks: []block.Block{t}}
}
