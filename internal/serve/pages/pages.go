package pages

import (
	"context"
	"net/http"
	"slices"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/report/sections/comparison"
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
	h.Newest, h.Only = newest(r), choiceOf(q)
	return shown{trends.Overview(h), html.Frame{Body: filled("filter.tmpl", listFilter(q, h))}}, nil
}

// history is the trends, of what the address chooses.
func (s *server) history(ctx context.Context, r *http.Request) (shown, error) {
	q := r.URL.Query()
	all, err := s.read(ctx, history.Filter{})
	if err != nil {
		return shown{}, err
	}
	h, err := s.read(ctx, history.Filter{Scenario: q.Get("scenario"), DUT: q.Get("dut"), Machine: q.Get("machine"), Metric: q.Get("metric")})
	if err != nil {
		return shown{}, err
	}
	h.Newest, h.Only, h.ByVersion = newest(r), choiceOf(q), q.Get("by") == "version"
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
	if err != nil {
		return shown{}, err
	}
	if live.StateOf(folder) == live.Running {
		d.Sections = append([]block.Section{{Blocks: []block.Block{block.Table{Columns: []block.Column{block.Words("This run is under way")},
			Rows: []block.Row{{Cells: []block.Cell{{Text: "watch it", Link: link("/live/", path)}}}}}}}}, d.Sections...)
	}
	return shown{Document: d}, nil
}

// compare holds two runs against each other; without them it asks which.
func (s *server) compare(ctx context.Context, r *http.Request) (shown, error) {
	q := r.URL.Query()
	h, err := s.read(ctx, history.Filter{})
	if err != nil {
		return shown{}, err
	}
	form := pairForm{readable(h), q.Get("a"), q.Get("b"), q.Get("dut"), q.Get("against")}
	if len(form.Runs) > 1 && form.A == "" && form.B == "" {
		form.A, form.B = form.Runs[1].Path, form.Runs[0].Path
	}
	out := shown{Document: block.Document{Title: "Compare two runs", Maker: "upflab"}, Frame: html.Frame{Body: filled("compare.tmpl", form)}}
	if q.Get("a") == "" || q.Get("b") == "" {
		return out, nil
	}
	a, err := s.side(q.Get("a"))
	if err != nil {
		return out, err
	}
	b, err := s.side(q.Get("b"))
	if err != nil {
		return out, err
	}
	made, err := compare.Compare(a, b, compare.Options{DUT: q.Get("dut"), Against: q.Get("against"), Threshold: 0.03})
	if err != nil {
		out.Sections = []block.Section{{Blocks: []block.Block{block.Note{Tone: block.Bad, Text: block.Printable(err.Error())}}}}
		return out, nil
	}
	out.Document, err = comparison.Report(made)
	return out, err
}

func (s *server) side(path string) (compare.Input, error) {
	_, folder, err := s.find(path)
	if err != nil {
		return compare.Input{}, err
	}
	r, err := store.Shown.Load(folder)
	return compare.Input{Name: path, Result: r}, err
}

// pairForm is what the form of a comparison shows.
type pairForm struct {
	Runs               []*history.Run
	A, B, DUT, Against string
}

// readable are the runs that can be chosen, newest first.
func readable(h trends.History) (list []*history.Run) {
	for _, r := range slices.Backward(h.Runs) {
		if r.Unreadable == "" && !r.Behaved() {
			list = append(list, r)
		}
	}
	return list
}

// leaderboard is the newest result of each UPF.
func (s *server) leaderboard(ctx context.Context, _ *http.Request) (shown, error) {
	h, err := s.read(ctx, history.Filter{})
	if err != nil {
		return shown{}, err
	}
	return shown{Document: trends.Leaderboard(h)}, nil
}
