package trends

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/units"
)

// shownRuns is how many runs a terminal lists.
const shownRuns = 20

// runs is the table of all runs, newest first.
func (h History) runs() block.Section {
	t := RunTable(h)
	if len(t.Rows) == 0 {
		return block.Section{Title: "Runs",
			Blocks: []block.Block{block.Note{Text: "There is no result below this folder yet: `upflab run` makes one."}}}
	}
	t.Only = block.Text | block.Markdown
	page, n, of := h.list()
	out := block.Section{Title: "Runs", Blocks: []block.Block{t, page}}
	if n == 0 {
		out.Blocks = append(out.Blocks, block.Note{Text: "No run is like that.", Only: block.HTML})
	}
	for i := range t.Rows {
		if i >= shownRuns {
			t.Rows[i].Only = block.Pages
		}
	}
	if of > n {
		text := fmt.Sprintf("The newest %d of %d", n, of)
		if h.All != "" {
			text += "; " + h.All
		}
		out.Blocks = append(out.Blocks, block.Note{Text: text + ".", Only: block.HTML})
	}
	if more := len(t.Rows) - shownRuns; more > 0 {
		out.Blocks = append(out.Blocks, block.Note{Text: fmt.Sprintf("and %d older ones", more), Only: block.Text})
	}
	return out
}

// RunTable is the table of runs that could be read, newest first.
func RunTable(h History) block.Table {
	t := block.Table{Columns: []block.Column{block.Words("Started"), block.Words("Scenario"), block.Prose("UPFs"), block.Words("State"),
		block.Words("Machine").In(block.Pages), block.Words("Folder")}}
	for _, r := range slices.Backward(h.Runs) {
		if h.Newest > 0 && len(t.Rows) == h.Newest {
			break
		}
		if r.Unreadable != "" {
			continue
		}
		t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{h.runCell(r), block.T(block.Printable(r.Scenario)), block.T(duts(r)), state(r),
			block.T(block.Printable(r.Machine)), block.T(block.Printable(r.Path))}})
	}
	return t
}

func (h History) runCell(r *history.Run) block.Cell {
	c := block.T(units.Instant(r.Started))
	if h.Link != nil {
		c.Link = h.Link(r)
	}
	return c
}

func duts(r *history.Run) string {
	var names []string
	for _, d := range r.DUTs {
		if d.Reference && len(r.DUTs) > 1 {
			continue
		}
		names = append(names, strings.TrimSpace(d.Label+" "+d.Version))
	}
	return units.OrNone(block.Printable(strings.Join(names, ", ")))
}

func state(r *history.Run) block.Cell {
	for _, d := range r.DUTs {
		if d.Status == record.StatusFailed {
			return block.Cell{Text: "failed: " + block.Printable(d.Label), Tone: block.Bad}
		}
	}
	switch {
	case !r.Complete:
		return block.Cell{Text: "incomplete", Tone: block.Warn}
	case r.Invalid > 0:
		return block.Cell{Text: fmt.Sprintf("%d not valid", r.Invalid), Tone: block.Warn}
	}
	return block.Cell{Text: "complete", Tone: block.Good}
}

// unreadable lists what is in the folder and could not be used, and doubts.
func (h History) unreadable() block.Section {
	lines := append([]string(nil), h.Notes...)
	for _, r := range h.Runs {
		switch {
		case r.Unreadable != "":
			lines = append(lines, "not read: "+r.Unreadable)
		case r.Finished.Before(r.Started) && !r.Finished.IsZero():
			lines = append(lines, fmt.Sprintf("%s ends before it starts: the machine's clock was set back meanwhile", r.Path))
		case time.Until(r.Started) > time.Hour:
			lines = append(lines, fmt.Sprintf("%s starts in the future, %s: the clock of its machine, or of this "+
				"one, is wrong; it counts as the newest run", r.Path, units.Instant(r.Started)))
		}
	}
	if len(lines) == 0 {
		return block.Section{}
	}
	for i := range lines {
		lines[i] = block.Printable(lines[i])
	}
	return block.Section{Title: "Not used, and doubts", Blocks: []block.Block{block.List{Items: block.Texts(lines)}}}
}
