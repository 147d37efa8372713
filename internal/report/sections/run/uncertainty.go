package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Uncertainty is how far headline figures may be from the truth, and what that comes from. Figures of which nothing is
// known of how far another trial lies are not in the table.
func Uncertainty(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Words("Trials"), block.Words("Figure"), block.Number("Value", ""),
		block.Number("± (95 %)", ""), block.Number("k", ""), block.Prose("From"), block.Prose("Not known")}}
	unknown := map[string]int{} // by the reason
	for i := range v.Uncertainty {
		b := &v.Uncertainty[i]
		if b.Combined == nil {
			unknown[b.NotKnown]++
			continue
		}
		unit := figure.Unit(b.Unit)
		known, not := sources(b)
		t.Rows = append(t.Rows, block.Row{Cells: block.Cells(b.DUT, fmt.Sprintf("%s (%d)", b.Of, b.Trials), b.Figure, b.Bound.Sign()+figure.Write(b.Value, unit),
			figure.Write(*b.Expanded, unit), fmt.Sprintf("%.3g", b.Coverage), known, not)})
	}
	s := block.Section{Title: "Uncertainty", Fold: true, Only: block.Pages, Hint: scopeOf(v.Uncertainty)}
	if len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t)
	}
	for _, why := range slices.Sorted(maps.Keys(unknown)) {
		s.Blocks = append(s.Blocks, block.Note{Text: fmt.Sprintf("Of %s it is not known how far another trial lies: %s.",
			units.Plural(unknown[why], "figure"), why)})
	}
	return s
}

// scopeOf says what the intervals are about.
func scopeOf(list []record.Uncertainty) string {
	const how = "Standard uncertainties of each source are in result.json (uncertainty), combined by JCGM 100:2008; k is the factor for 95 %. " +
		"The value is the mean of the repeats; the tables above have their median. ≥ and ≤: what was measured is a bound of the UPF's own figure, and ± " +
		"is of what was measured. Where ± is more than the value, or takes a loss beyond 0 to 100 %, there are too few repeats. "
	for _, b := range list {
		if b.AcrossRuns {
			return how + "With the source between runs, ± is how far the mean of all runs of this machine may lie from this value. The first " +
				"lines say where one other run lies, which scatters too: by 1.4 times as much."
		}
	}
	return how + "They are of this run alone: the machine is uncalibrated, and another run differs by more."
}

// sources are those that add something, with their shares of the variance, and those that are not known.
func sources(b *record.Uncertainty) (known, not string) {
	var add, missing []string
	for _, s := range b.Sources {
		switch {
		case s.Value == nil:
			missing = append(missing, s.Source)
		case s.Share >= 0.005:
			add = append(add, fmt.Sprintf("%s %.0f %%", s.Source, 100*s.Share))
		}
	}
	return strings.Join(add, ", "), strings.Join(missing, ", ")
}
