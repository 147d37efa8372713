package run

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// TestNoLegendWithoutFigures: where no UPF was measured, nothing explains marks that no figure has.
func TestNoLegendWithoutFigures(t *testing.T) {
	failed := record.DUT{Name: "eupf", Mode: "native", Status: record.StatusFailed, Error: "gone"}
	for _, c := range []struct {
		story  string
		d      record.DUT
		blocks int
	}{
		{"nothing was measured", failed, 1},
		{"a trial", record.DUT{Name: "eupf", Mode: "native", Trials: []record.Trial{{Judgement: record.Judgement{Valid: true}}}}, 3},
	} {
		if s := Answers(view.New(&record.Result{DUTs: []record.DUT{c.d}})); len(s.Blocks) != c.blocks {
			t.Errorf("%s: %d blocks, want the answers and %d", c.story, len(s.Blocks), c.blocks-1)
		}
	}
}
