package pages

import (
	"context"
	"net/http"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/results/store"
)

// overview is the list of runs, and what changed.
func (s *server) overview(ctx context.Context, r *http.Request) (shown, error) {
	h, err := s.read(ctx, history.Filter{})
	if err != nil {
		return shown{}, err
	}
	q := r.URL.Query()
	h.Newest, h.All, h.Only = newest(r), allRuns, choiceOf(q)
	return shown{trends.Overview(h), html.Frame{Body: filled("filter.tmpl", listFilter(q, h))}}, nil
}

// history is the trends, of what the address chooses.
func (s *server) history(ctx context.Context, r *http.Request) (shown, error) {
	q := r.URL.Query()
	all, err := s.read(ctx, history.Filter{})
	if err != nil {
		return shown{}, err
	}
	h, f := all, history.Filter{Scenario: q.Get("scenario"), DUT: q.Get("dut"), Machine: q.Get("machine"), Metric: string(compare.Named(q.Get("metric")))}
	if f != (history.Filter{}) {
		if h, err = s.read(ctx, f); err != nil {
			return shown{}, err
		}
	}
	h.Newest, h.All, h.Only, h.ByVersion = newest(r), allRuns, choiceOf(q), q.Get("by") == "version"
	h.Pins, h.Pin = pins(q)
	return shown{trends.Report(h), html.Frame{Body: filled("filter.tmpl", historyFilter(q, all))}}, nil
}

// run is the report of one, as it is in its folder.
func (s *server) run(_ context.Context, r *http.Request) (shown, error) {
	path, folder, err := s.find(r.PathValue("path"))
	if err != nil {
		return shown{}, err
	}
	result, err := store.Shown.Load(folder)
	if err != nil {
		return shown{}, err
	}
	d, err := sections.Report(result, sections.Options{})
	if err != nil { // by values that no run measures
		return shown{}, store.Refuse(folder, err)
	}
	if live.StateOf(folder) == live.Running {
		d.Sections = append([]block.Section{{Blocks: []block.Block{block.Table{Columns: []block.Column{block.Words("This run is under way")},
			Rows: []block.Row{{Cells: []block.Cell{{Text: "watch it", Link: link("/live/", path)}}}}}}}}, d.Sections...)
	}
	return shown{Document: d}, nil
}

// leaderboard is the newest result of each UPF.
func (s *server) leaderboard(ctx context.Context, _ *http.Request) (shown, error) {
	h, err := s.read(ctx, history.Filter{})
	if err != nil {
		return shown{}, err
	}
	return shown{Document: trends.Leaderboard(h)}, nil
}
