package studies

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// repeatedHint says how the tables are to be read.
const repeatedHint = "The study's tables, with the figures of this run in the same cells. Another " +
	"machine, another version, and a RAN that bounds " +
	"what the authors saw: what compares is the order of UPFs within the run, not a rate with a rate."

// Repeated shows the study whose applications a run repeats: its tables with the figures
// of this run, and in what the two differ.
func Repeated(v *view.Run) block.Section {
	if v.Study == nil || !v.Applied() {
		return block.Section{}
	}
	all, err := published.Studies()
	if err != nil { // a fault of the program, which a test of its data finds
		return block.Section{Title: "The study", Blocks: []block.Block{block.Note{Tone: block.Warn, Text: err.Error()}}}
	}
	at := slices.IndexFunc(all, func(s published.Study) bool { return s.Source.URL == v.Study.URL })
	if at < 0 {
		return block.Section{}
	}
	s := &all[at]
	out := block.Section{Title: "Next to the study's tables", Hint: repeatedHint, Blocks: []block.Block{
		block.Note{Tone: block.Muted, Text: fmt.Sprintf("%s, %s (%d):", s.Source.Authors, s.Source.Title, s.Source.Year), URL: s.Source.URL}}}
	for _, t := range layout(v, s, all) {
		if len(t.Rows) > 0 {
			out.Blocks = append(out.Blocks, t)
		}
	}
	if len(s.Differences) > 0 {
		out.Blocks = append(out.Blocks,
			block.Section{Title: "Where this run differs from the study",
				Blocks: []block.Block{block.List{Items: block.Texts(s.Differences)}}})
	}
	return out
}

// layout is the tables of a study, as it has them.
func layout(v *view.Run, s *published.Study, all []published.Study) []block.Table {
	switch s.Source.Key {
	case "srsran-goodput":
		return []block.Table{goodputTable(v, s, all)}
	case "sdcore-cni":
		return []block.Table{linkTable(v, s)}
	case "real-world-5g":
		return evaluationTables(v, s)
	}
	return nil
}

// theirRow is a row of published figures.
func theirRow(first []block.Cell, cells []block.Cell) block.Row {
	return block.Row{Tone: block.Muted, Cells: slices.Concat(first, cells)}
}

// source is the cell that says whose figures a row has.
func source(whose, version string) block.Cell {
	return block.Cell{Text: whose, Note: version, Short: whose}
}
