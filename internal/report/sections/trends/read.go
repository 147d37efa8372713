package trends

import (
	"context"

	"github.com/upflab/upflab/internal/results/history"
)

// Read brings an index up to date and takes from it what a report is made from.
func Read(ctx context.Context, x *history.Index, f history.Filter) (History, error) {
	updated, err := x.Update(ctx)
	if err != nil {
		return History{}, err
	}
	h := History{Folder: x.Dir(), Notes: Notes(x, updated), Causes: x.Causes}
	h.ReadMarks()
	h.Series, h.Runs = x.Series(f)
	return h, nil
}

// ReadMarks takes the notes that people wrote into the folder.
func (h *History) ReadMarks() {
	var err error
	if h.Marks, err = history.Notes(h.Folder); err != nil {
		h.Notes = append(h.Notes, err.Error())
	}
}

// Notes are what is to be known of an index and its update.
func Notes(x *history.Index, updated history.Updated) []string {
	notes := updated.Problems
	if note := x.Note(); note != "" {
		notes = append(notes, note)
	}
	return notes
}
