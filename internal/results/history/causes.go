package history

import (
	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/results/store"
)

// Causes lists what else was different between the runs around a change: A is the last
// one before it, B the first one after it. It reads both results.
func (x *Index) Causes(s *Series, c Change) []string {
	a, err := store.Shown.Load(s.Points[c.At-1].Run.Folder(x.dir))
	if err != nil {
		return nil
	}
	b, err := store.Shown.Load(s.Points[c.At].Run.Folder(x.dir))
	if err != nil {
		return nil
	}
	return compare.Differences(a, b, s.DUT)
}
