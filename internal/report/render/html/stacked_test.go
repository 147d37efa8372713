package html

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/report/block"
)

// TestStackedCellsHaveTheirHeads: where a narrow window shows a row as a card, each of its cells says what
// it is.
func TestStackedCellsHaveTheirHeads(t *testing.T) {
	table := block.Table{Columns: []block.Column{block.Merged("Started"), block.Number("Rate", "")}, Rows: []block.Row{{Cells: block.Cells("now", "1 Mpps")}}}
	for _, stacked := range []bool{false, true} {
		table.Stacked = stacked
		var page strings.Builder
		if err := Write(&page, block.Document{Sections: []block.Section{{Blocks: []block.Block{table}}}}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`data-head="Started"`, `data-head="Rate"`} {
			if strings.Contains(page.String(), want) != stacked {
				t.Errorf("stacked %v: %q is in the page: %v", stacked, want, !stacked)
			}
		}
	}
}
