package pages

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/store"
)

// patience is how long a page waits for the index to be brought up to date: after that it
// shows what was known before.
const patience = 300 * time.Millisecond

// histories keeps what was read of one state of the index: dividing the series of
// thousands of runs takes seconds, and most pages are looked at between two runs.
type histories struct {
	mu    sync.Mutex
	kept  map[history.Filter]trends.History
	under map[history.Filter]*reading // under way
	one   sync.Mutex                  // held by whoever uses the index
}

// reading brings the index up to date for a filter.
type reading struct {
	done chan struct{} // closed at the end
	h    trends.History
	err  error
}

// keptMost is how many filters are kept: anybody may ask for any.
const keptMost = 16

// read gives what a filter chooses of the index, which it brings up to date. Where that
// takes long, it goes on after the page is made, which shows what was known before.
func (s *server) read(ctx context.Context, f history.Filter) (trends.History, error) {
	r := s.past.begin(f, s.refresh)
	select {
	case <-r.done:
		return s.linked(r.h), r.err
	case <-ctx.Done():
		return trends.History{}, ctx.Err()
	case <-time.After(s.o.Patience):
	}
	h, ok := s.past.before(f)
	if !ok {
		h = trends.History{Folder: s.index.Dir()}
	}
	h.Notes = append([]string{"Results are being read: this page shows what was read before. Reload it for the rest."}, h.Notes...)
	return s.linked(h), nil
}

// begin starts a reading, or joins the one of the same filter that is under way.
func (p *histories) begin(f history.Filter, refresh func(history.Filter) (trends.History, error)) *reading {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.under[f]; r != nil {
		return r
	}
	r := &reading{done: make(chan struct{})}
	p.under[f] = r
	go func() {
		p.one.Lock()
		r.h, r.err = refresh(f)
		p.one.Unlock()
		p.mu.Lock()
		delete(p.under, f)
		p.mu.Unlock()
		close(r.done)
	}()
	return r
}

func (p *histories) before(f history.Filter) (trends.History, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, ok := p.kept[f]
	return h, ok
}

// keep keeps what was read of a state of the index; what another state had stays until it
// is read anew, for pages that do not wait.
func (p *histories) keep(f history.Filter, h trends.History) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, has := p.kept[f]; !has && len(p.kept) >= keptMost {
		clear(p.kept)
	}
	p.kept[f] = h
}

// refresh brings the index up to date and reads what a filter chooses, unless that is known.
func (s *server) refresh(f history.Filter) (trends.History, error) {
	updated, err := s.index.Update(context.Background())
	if err != nil {
		return trends.History{}, err
	}
	changes := s.index.Changes()
	h, known := s.past.before(f)
	if !known || h.State != changes {
		h = trends.History{Folder: s.index.Dir(), Causes: remembered(s.index.Causes), State: changes}
		if !known { // the runs are known long before what changed
			h.Runs = s.index.Runs(f)
			s.past.keep(f, trends.History{Folder: h.Folder, Runs: h.Runs, State: changes - 1})
		}
		h.Series, h.Runs = s.index.Series(f)
		for _, of := range h.Series { // pages ask for them, and they are in results on disk
			for _, c := range of.Changes {
				h.Causes(of, c)
			}
		}
	}
	h.Notes = trends.Notes(s.index, updated)
	h.ReadMarks()
	s.past.keep(f, h)
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

// find gives the path and the folder of a run below the served one: of no other, neither
// behind a link nor in a folder whose name begins with a dot.
func (s *server) find(path string) (clean, folder string, err error) {
	if path == "" {
		path = "."
	}
	missing := notFound{fmt.Sprintf("There is no run %q in this folder: it may have been removed.", path)}
	if !filepath.IsLocal(path) || filepath.ToSlash(filepath.Clean(path)) != path {
		return "", "", missing
	}
	root, err := os.OpenRoot(s.index.Dir())
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	at := "."
	for part := range strings.SplitSeq(path, "/") {
		at = filepath.Join(at, part)
		if info, err := root.Lstat(at); err != nil || !info.IsDir() || part != "." && strings.HasPrefix(part, ".") {
			return "", "", missing
		}
	}
	if info, err := root.Lstat(filepath.Join(at, store.FileName)); err != nil || !info.Mode().IsRegular() {
		return "", "", missing
	}
	return path, filepath.Join(s.index.Dir(), at), nil
}
