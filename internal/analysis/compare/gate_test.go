package compare

import (
	"testing"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// inTurn is a run of two UPFs with these rates, repeat by repeat, which something limited.
func inTurn(a, b []float64, limit record.Limit) *record.Result {
	r := &record.Result{Order: &record.Order{}, Complete: true, DUTs: []record.DUT{{Name: "one"}, {Name: "other"}}}
	for n, block := range stats.Blocks(2, len(a), 1, nil) {
		for _, i := range block {
			r.Order.Visit(n+1, r.DUTs[i].Label())
			r.DUTs[i].Trials = append(r.DUTs[i].Trials, record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Repeat: n + 1,
				Traffic: record.Traffic{RxPPS: [][]float64{a, b}[i][n]}, Judgement: record.Judgement{Valid: true, LimitedBy: limit}})
		}
	}
	return r
}

// TestThreeDecisions: B is worse by more than the threshold, or not, or that needs more repeats, and about how many; or
// no number of repeats decides.
func TestThreeDecisions(t *testing.T) {
	steady := []float64{100, 101, 99, 100, 101, 99}
	by := func(factor float64, scatter ...float64) (list []float64) {
		for i, v := range steady {
			list = append(list, v*factor*(1+scatter[i%len(scatter)]))
		}
		return list
	}
	for _, c := range []struct {
		name        string
		b           []float64
		limit       record.Limit
		want        Decision
		least, most int // repeats that are missing
	}{
		{"a tenth slower", by(0.9, 0.002, -0.002), record.LimitDUT, DecidedWorse, 0, 0},
		{"as fast", by(1, 0.002, -0.002), record.LimitDUT, DecidedNotWorse, 0, 0},
		{"as fast and scattered", by(1, 0.05, -0.05), record.LimitDUT, NeedsRepeats, 3, 30},
		{"at the threshold", by(0.9701, 0.05, -0.05), record.LimitDUT, NeedsRepeats, 0, 0}, // more than are advised
		{"held back by the generator", by(0.9, 0.002, -0.002), record.LimitGenerator, Undecidable, 0, 0},
	} {
		side := Input{Name: "run", Result: inTurn(steady, c.b, c.limit)}
		made, err := Compare(side, side, Options{Metrics: []Metric{RxPPS}, Threshold: 0.03})
		if err != nil {
			t.Fatal(err)
		}
		f := made.Pairs[0].Figures[0]
		if made.Gate.Decision != c.want || f.Decision != c.want || f.Needs < c.least || f.Needs > c.most || made.Gate.Needs != f.Needs {
			t.Errorf("%s: %s, needs %d (gate: %+v), want %s", c.name, f.Words(0.03), f.Needs, made.Gate, c.want)
		}
	}
}

// TestOwnEndIsByBlocks: a run that decided itself when to end is compared by whole blocks, at any threshold, with what
// holds at every look.
func TestOwnEndIsByBlocks(t *testing.T) {
	a, b := make([]float64, 17), make([]float64, 17)
	for i := range a {
		a[i], b[i] = 100+float64(i%3), 90+float64(i%4)
	}
	r := inTurn(a, b, record.LimitDUT)
	r.Until = &record.Until{Decided: 0.03}
	made, err := Compare(Input{Result: r}, Input{Result: r}, Options{Metrics: []Metric{RxPPS}, Threshold: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	f := made.Pairs[0].Figures[0]
	if blocks, worse, not := f.Evidence(0.03); blocks != 8 || worse < 20 || not > 20 || f.Decision != DecidedWorse || f.Change().Interval == nil {
		t.Errorf("%d blocks, e-values %v and %v, %s, %+v", blocks, worse, not, f.Decision, f.Change())
	}
}
