package benchmark

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// watchedRun is what a run showed of the CPUs that the generator and the UPF have.
type watchedRun struct {
	others   float64 // of the UPF's CPU, used by others
	lateness float64 // of the generator's packets, ns, p99
}

// pageCost is the CPU time of the server of a page.
type pageCost struct {
	opening time.Duration // until the page shows something
	share   float64       // from then on, of the time that the run takes
}

// page runs wire at 100 kpps with a page that shows it live and without, in turn: what the
// page's server takes of the CPUs. Which CPU it runs on is the kernel's choice, so all of
// its CPU time counts for the one that it would hurt most.
func (b *Bench) page(ctx context.Context) ([]Row, error) {
	const pairs = 3
	var with, without []watchedRun
	var took, opened []float64
	err := stats.InBlocks(pairs, orderSeed, func() error {
		bare, _, err := b.watched(ctx, fmt.Sprintf("page-%d-without", len(without)), false)
		without = append(without, bare)
		return err
	}, func() error {
		shown, cost, err := b.watched(ctx, fmt.Sprintf("page-%d-with", len(with)), true)
		with, took, opened = append(with, shown), append(took, cost.share), append(opened, cost.opening.Seconds())
		return err
	})
	if err != nil {
		return nil, err
	}
	share := stats.Median(took)
	others := func(w *watchedRun) float64 { return w.others }
	lateness := func(w *watchedRun) float64 { return w.lateness }
	return []Row{
		{What: "CPU of the server of a live page, while one reads it",
			Value: fmt.Sprintf("%.3f %% of one CPU (median of %d runs); %.0f ms before, to start and to "+
				"open the page", 100*share, pairs, 1e3*stats.Median(opened)), Target: "<= 0.1 %", OK: share <= 0.001},
		{What: "others on the UPF's CPU, with the page / without, in turn",
			Value: fmt.Sprintf("%.2f %% / %.2f %%", 100*stats.MedianOf(with, others),
				100*stats.MedianOf(without, others)), OK: true},
		{What: "generator's lateness p99, with the page / without, in turn",
			Value: fmt.Sprintf("%.0f ns / %.0f ns", stats.MedianOf(with, lateness),
				stats.MedianOf(without, lateness)), OK: true},
	}, nil
}

// watched makes one run in a folder of that name, with a page or without.
func (b *Bench) watched(ctx context.Context, name string, page bool) (w watchedRun, cost pageCost, err error) {
	s, err := scenario.Open("quick",
		[]string{"loads=100k", "duration=5s", "directions=uplink", "latency.duration=100ms", "disturbed=keep"}, false)
	if err != nil {
		return w, cost, err
	}
	r, err := b.Begin(s)
	if err != nil {
		return w, cost, err
	}
	dir := filepath.Join(b.Dir, name)
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return w, cost, err
	}
	p := &campaign.Job{Plan: plan.Plan{Scenario: s, Targets: []dut.Target{b.Wire}}, Dir: dir, Save: func(r *record.Result) error { return store.Save(dir, r) }}
	if err := p.Save(r); err != nil { // pages show runs that have a result
		return w, cost, err
	}
	o := live.Watch(dir, s.Name, p.Trials(), watch.Silent{})
	defer o.Close("")
	run := func() error { return campaign.Run(ctx, p, o, r) }
	if page {
		cost, err = b.shown(ctx, dir, run)
	} else {
		err = run()
	}
	if err != nil {
		return w, cost, err
	}
	d := &r.DUTs[0]
	if d.Status != record.StatusOK || len(d.Trials) == 0 || d.Trials[0].Evidence == nil {
		return w, cost, fmt.Errorf("wire was not measured: %s %s", d.Status, d.Error)
	}
	e := d.Trials[0].Evidence
	others := 0.0
	if e.Others != nil {
		others = *e.Others
	}
	return watchedRun{others, float64(e.LatenessP99NS)}, cost, nil
}

// shown makes a run while somebody reads its page.
func (b *Bench) shown(ctx context.Context, dir string, run func() error) (cost pageCost, err error) {
	p, err := b.open(ctx, dir)
	if err != nil {
		return cost, err
	}
	begun := time.Now()
	if cost.opening, err = p.used(); err == nil {
		err = run()
	}
	took := time.Since(begun)
	used, unread := p.used()
	cost.share = (used - cost.opening).Seconds() / took.Seconds()
	return cost, errors.Join(err, unread, p.close())
}
