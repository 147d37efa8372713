package web

import (
	"context"
	"fmt"
	"sync"

	"github.com/upflab/upflab/internal/history"
	"github.com/upflab/upflab/internal/sections/trends"
)

// histories keeps what was read of one state of the index: dividing the series of
// thousands of runs takes seconds, and most pages are looked at between two runs.
type histories struct {
	changes int64
	kept    map[history.Filter]trends.History
}

// keptMost is how many filters are kept: anybody may ask for any.
const keptMost = 16

// read brings the index up to date and gives what a filter chooses of it.
func (s *server) read(ctx context.Context, f history.Filter) (trends.History, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	updated, err := s.index.Update(ctx)
	if err != nil {
		return trends.History{}, err
	}
	changes, err := s.index.Changes(ctx)
	if err != nil {
		return trends.History{}, err
	}
	if s.past.changes != changes || len(s.past.kept) >= keptMost {
		s.past = histories{changes: changes}
	}
	h, ok := s.past.kept[f]
	if !ok {
		h = trends.History{Folder: s.index.Dir(), Causes: remembered(s.index.Causes)}
		if h.Series, h.Runs, err = s.index.Series(ctx, f); err != nil {
			return h, err
		}
		if s.past.kept == nil {
			s.past.kept = map[history.Filter]trends.History{}
		}
		s.past.kept[f] = h
	}
	h.Notes, h.Link = trends.Notes(s.index, updated), s.address
	return h, nil
}

// remembered asks for the causes of each change once: they are in results on disk.
func remembered(of func(*history.Series, history.Change) []string) func(*history.Series, history.Change) []string {
	type change struct {
		a, b *history.Run
		dut  string
	}
	var mu sync.Mutex
	known := map[change][]string{}
	return func(s *history.Series, c history.Change) []string {
		key := change{s.Points[c.At-1].Run, s.Points[c.At].Run, s.DUT}
		mu.Lock()
		defer mu.Unlock()
		list, ok := known[key]
		if !ok {
			list = of(s, c)
			known[key] = list
		}
		return list
	}
}

// find gives the folder of a run that the index knows: of no other path.
func (s *server) find(ctx context.Context, path string) (*history.Run, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.index.Update(ctx); err != nil {
		return nil, "", err
	}
	if path == "" {
		path = "."
	}
	r, err := s.index.Find(ctx, path)
	if err != nil {
		return nil, "", err
	}
	if r == nil {
		return nil, "", notFound{fmt.Sprintf("There is no run %q in this folder: it may have been removed.", path)}
	}
	return r, r.Folder(s.index.Dir()), nil
}
