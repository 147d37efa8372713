package pages

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/store"
)

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
		out.Sections = []block.Section{{Blocks: []block.Block{block.Note{Tone: block.Bad, Text: block.Printable(err.Error())}}},
			next(s.instead(h, q))}
		return out, nil
	}
	if out.Document, err = comparison.Report(made); err != nil {
		return out, err
	}
	out.Sections = slices.Insert(out.Sections, 1, next(s.advice(h, q, made)))
	return out, nil
}

func (s *server) side(path string) (compare.Input, error) {
	_, folder, err := s.find(path)
	if err != nil {
		return compare.Input{}, err
	}
	r, err := store.Shown.Load(folder)
	return compare.Input{Name: path, Result: r}, err
}

// next is advice as links.
func next(list []block.Link) block.Section {
	t := block.Table{Columns: []block.Column{block.Prose("What to do next")}}
	for _, l := range list {
		t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{{Text: l.Text, Link: l.URL}}})
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Blocks: []block.Block{t}}
}

// advice is what a comparison leaves open, and where its reader goes from it.
func (s *server) advice(h trends.History, q url.Values, made *compare.Comparison) (list []block.Link) {
	g := made.Gate
	if open := g.Figures - g.Excluded - len(g.Worse); open > 0 && s.o.Runs != nil {
		list = append(list, again(made, open))
	}
	if len(g.Worse) > 0 {
		list = append(list, block.Link{Text: "See since when: the history of " + block.Printable(made.B.Scenario),
			URL: "/history?" + url.Values{"scenario": {made.B.Scenario}, "pin": {string(g.Worse[0].Figure.Metric)}}.Encode()})
	}
	if len(made.Caveats) > 0 {
		list = append(list, block.Link{Text: fmt.Sprintf("The runs differ in other ways, too (%d): see the report of A",
			len(made.Caveats)), URL: link("/runs/", made.A.Name)},
			block.Link{Text: "See the report of B", URL: link("/runs/", made.B.Name)})
	}
	return append(list, s.instead(h, q)...)
}

// again is the form that repeats B's measurement with twice the repeats.
func again(made *compare.Comparison, open int) block.Link {
	repeats, again := 1, url.Values{"scenario": {made.B.Scenario}}
	for _, p := range made.Pairs {
		if p.Reference() {
			continue
		}
		again.Add("dut", p.B.Label)
		for _, f := range p.Figures {
			repeats = max(repeats, f.A.N, f.B.N)
		}
	}
	again.Set("repeats", fmt.Sprint(2*repeats))
	return block.Link{Text: fmt.Sprintf("In %d figures a change cannot be ruled out: measure again with %d repeats", open,
		2*repeats), URL: "/start?" + again.Encode()}
}

// instead are other comparisons: the other way round, and the run with the one before it that
// measured the same.
func (s *server) instead(h trends.History, q url.Values) (list []block.Link) {
	a, b := q.Get("a"), q.Get("b")
	to := func(a, b string) string {
		with := url.Values{"a": {a}, "b": {b}}
		return "/compare?" + with.Encode()
	}
	if a != b {
		list = append(list, block.Link{Text: "Compare the other way round", URL: to(b, a)})
	}
	if before := predecessor(h, b); before != "" && before != a {
		list = append(list, block.Link{Text: "Compare B with the run before it: " + block.Printable(before), URL: to(before, b)})
	}
	return list
}

// predecessor is the newest run before another one with its scenario and machine; "": there is none.
func predecessor(h trends.History, path string) string {
	at := slices.IndexFunc(h.Runs, func(r *history.Run) bool { return r.Path == path })
	for i := at - 1; i >= 0; i-- {
		if r := h.Runs[i]; r.Unreadable == "" && r.Scenario == h.Runs[at].Scenario && r.Machine == h.Runs[at].Machine {
			return r.Path
		}
	}
	return ""
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

// asked is a request that an address fills the form with: nothing starts by it.
func asked(q url.Values) request {
	of := fresh()
	if q.Get("scenario") != "" {
		of.Scenario = q.Get("scenario")
	}
	if duts := q["dut"]; len(duts) > 0 {
		of.DUTs = duts
	}
	of.Settings = map[string]string{}
	for _, one := range settings() {
		of.Settings[one.Key] = strings.TrimSpace(q.Get(one.Key))
	}
	return of
}
