package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/sections/behaviour"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/store"
)

// matrix is the behaviour cases of each UPF's newest run of them: totals and findings first, then
// each case, as the address chooses.
func (s *server) matrix(ctx context.Context, r *http.Request) (shown, error) {
	h, err := s.read(ctx, history.Filter{})
	if err != nil {
		return shown{}, err
	}
	all, err := newestCases(h, s.index.Dir())
	if len(all.DUTs) == 0 {
		return shown{Document: matrixDocument(all)}, err
	}
	q := r.URL.Query()
	return shown{matrixDocument(casesLike(all, q)), html.Frame{Body: filled("filter.tmpl", matrixFilter(q, all))}}, nil
}

// newestCases has the cases of each UPF's newest run of them; err says what could not be read.
func newestCases(h trends.History, dir string) (merged *record.Result, err error) {
	merged = &record.Result{Scenario: "behaviour"}
	seen := map[string]bool{}
	var problems []error
	for _, r := range slices.Backward(h.Runs) {
		if !slices.ContainsFunc(r.DUTs, func(d history.DUT) bool { return d.Cases && !seen[d.Label] }) {
			continue
		}
		result, err := store.Shown.Load(r.Folder(dir))
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, d := range result.DUTs {
			if label := compare.Label(&d); len(d.Cases) > 0 && !seen[label] {
				seen[label] = true
				merged.DUTs = append(merged.DUTs, d)
			}
		}
	}
	return merged, errors.Join(problems...)
}

func matrixDocument(of *record.Result) block.Document {
	d := block.Document{Title: "Enforcement matrix", Maker: "upflab", Meta: []block.Fact{{Name: "UPFs", Value: fmt.Sprint(len(of.DUTs))}}}
	if len(of.DUTs) == 0 {
		d.Sections = []block.Section{{Blocks: []block.Block{block.Note{Text: "There is no result of behaviour " +
			"cases in this folder yet: `upflab run behaviour --dut NAME` makes one."}}}}
		return d
	}
	v := view.New(of)
	d.Sections = []block.Section{behaviour.Totals(v), behaviour.Findings(v), behaviour.Matrix(v)}
	if len(d.Sections[2].Blocks) == 0 {
		d.Sections = []block.Section{{Blocks: []block.Block{block.Note{Text: "No case is like that."}}}}
	}
	return d
}

// verdictNames are the verdicts of cases that the form offers.
func verdictNames() []option {
	list := []option{{"", "all"}, {"findings", "findings"}}
	for _, v := range []record.Verdict{record.VerdictEnforced, record.VerdictNotEnforced, record.VerdictWrong, record.VerdictDied,
		record.VerdictRefused, record.VerdictRefusedWrongly, record.VerdictNotApplicable} {
		list = append(list, option{string(v), behaviour.Words(v)})
	}
	return list
}

// matrixFilter is the form above the matrix.
func matrixFilter(q url.Values, all *record.Result) filter {
	f := filter{Action: "/matrix"}
	var duts []string
	for i := range all.DUTs {
		duts = append(duts, compare.Label(&all.DUTs[i]))
	}
	f.field(q, "dut", "UPF", "", options(duts))
	f.field(q, "verdict", "Verdict", "", verdictNames())
	f.field(q, "text", "Text", "search", nil)
	return f
}

// casesLike keeps of a result the UPF and the cases that an address chooses: a case stays for all
// UPFs where it is so for one of them.
func casesLike(all *record.Result, q url.Values) *record.Result {
	dut, verdict, text := q.Get("dut"), q.Get("verdict"), strings.ToLower(q.Get("text"))
	out := &record.Result{Scenario: all.Scenario}
	like := map[string]bool{}
	for _, d := range all.DUTs {
		if dut != "" && compare.Label(&d) != dut {
			continue
		}
		out.DUTs = append(out.DUTs, d)
		for i := range d.Cases {
			c := &d.Cases[i]
			judged := verdict == "" || verdict == string(c.Verdict) || verdict == "findings" && c.Verdict.Bad()
			if judged && strings.Contains(strings.ToLower(c.ID+" "+c.Title+" "+c.Clause), text) {
				like[c.ID] = true
			}
		}
	}
	for i := range out.DUTs {
		d := &out.DUTs[i]
		d.Cases = slices.DeleteFunc(slices.Clone(d.Cases), func(c record.Case) bool { return !like[c.ID] })
	}
	return out
}
