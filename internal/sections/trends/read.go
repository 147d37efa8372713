package trends

import (
	"context"

	"github.com/upflab/upflab/internal/history"
)

// Read brings an index up to date and takes from it what a report is made from.
func Read(ctx context.Context, x *history.Index, f history.Filter) (History, error) {
	updated, err := x.Update(ctx)
	if err != nil {
		return History{}, err
	}
	h := History{Folder: x.Dir(), Notes: updated.Problems, Causes: x.Causes}
	if note := x.Note(); note != "" {
		h.Notes = append(h.Notes, note)
	}
	if h.Runs, err = x.Runs(ctx, f); err != nil {
		return History{}, err
	}
	h.Series, err = x.Series(ctx, f)
	return h, err
}
