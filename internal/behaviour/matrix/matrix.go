// Package matrix runs behaviour cases against DUTs, one after the other.
package matrix

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/behaviour"
	"github.com/upflab/upflab/internal/behaviour/causes"
	"github.com/upflab/upflab/internal/behaviour/lab"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/safefile"
	"github.com/upflab/upflab/internal/scenario"
)

// Plan is what is run.
type Plan struct {
	Scenario *scenario.Scenario
	Targets  []dut.Target
	Cases    []behaviour.Case
	Dir      string // of the result: configurations, logs and captures go below it
	// Streams: cases send streams from inside the kernel (lab.Config.Placement).
	Streams bool
	// Save is called after each DUT.
	Save func(*record.Result) error
}

// Observer follows a run.
type Observer interface {
	Stage(target, what string)
	// Case gives a finished case, number n (from 1) of the DUT's.
	Case(n int, target string, c record.Case)
	Failed(target string, err error)
}

// Run carries the plan out into r, which the caller has begun. It goes on with the next
// DUT when one does not come up. The error is the context's, or says why nothing more
// can be run.
func Run(ctx context.Context, p *Plan, o Observer, r *record.Result) (err error) {
	placement, err := host.Place(p.Scenario.CPU)
	if err != nil {
		return err
	}
	claim, err := host.NewClaim(r.Run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	r.Host = host.Facts()
	r.Host.Placement = placement
	r.Complete = true
	for _, t := range p.Targets {
		info := t.Info()
		r.DUTs = append(r.DUTs, record.DUT{Name: info.Name, Mode: t.Mode, Version: t.Version, Status: record.StatusOK})
	}
	for i := range p.Targets {
		v := visit{plan: p, observer: o, claim: claim, placement: placement, target: p.Targets[i], out: &r.DUTs[i]}
		if err := v.settle(ctx, v.run(ctx), r); err != nil {
			return err
		}
	}
	return nil
}

// visit is the cases of one DUT.
type visit struct {
	plan      *Plan
	observer  Observer
	claim     *host.Claim
	placement record.Placement
	target    dut.Target
	out       *record.DUT
}

// settle writes down how a visit ended.
func (v *visit) settle(ctx context.Context, err error, r *record.Result) error {
	switch {
	case ctx.Err() != nil:
		v.out.Status, r.Complete = record.StatusInterrupted, false
	case err != nil:
		v.out.Status, v.out.Error, r.Complete = record.StatusFailed, err.Error(), false
		v.observer.Failed(v.target.Label(), err)
	}
	v.out.Causes = causes.Of(v.out.Cases)
	r.Finished = time.Now()
	return errors.Join(ctx.Err(), v.plan.Save(r))
}

// folder is the name of the DUT's folder in the result.
func (v *visit) folder() string {
	return strings.NewReplacer(":", "-", "/", "-").Replace(v.target.Label())
}

func (v *visit) run(ctx context.Context) (err error) {
	dir := filepath.Join(v.plan.Dir, v.folder())
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return fmt.Errorf("make folder for %s: %w", v.target.Label(), err)
	}
	v.observer.Stage(v.target.Label(), "starting")
	c := lab.Config{Scenario: v.plan.Scenario, Claim: v.claim, Target: v.target, CPUs: v.placement.DUT, Dir: dir}
	if v.plan.Streams {
		c.Placement = &v.placement
	}
	l, err := lab.Open(ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", v.target.Label(), err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	bench, err := behaviour.New(ctx, l)
	if err != nil {
		v.out.LogTail = l.LogTail()
		return fmt.Errorf("%s: %w", v.target.Label(), err)
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	v.out.Features, bench.Label = bench.Features.Names(), v.target.Label()+" "+v.target.Version
	for _, f := range l.Files() {
		v.out.Files = append(v.out.Files, filepath.Join(v.folder(), filepath.Base(f)))
	}
	return v.cases(ctx, bench)
}

// cases runs them in their order.
func (v *visit) cases(ctx context.Context, bench *behaviour.Bench) error {
	for i := range v.plan.Cases {
		c := &v.plan.Cases[i]
		v.observer.Stage(v.target.Label(), c.ID)
		file := filepath.Join(v.folder(), c.ID+extension(c))
		row, err := bench.Run(ctx, c, filepath.Join(v.plan.Dir, file))
		if err != nil {
			return fmt.Errorf("%s: %s: %w", v.target.Label(), c.ID, err)
		}
		if row.Capture != "" {
			row.Capture = file
		}
		v.shorten(row.Attack)
		v.out.Cases = append(v.out.Cases, row)
		v.observer.Case(i+1, v.target.Label(), row)
	}
	return nil
}

// extension is that of what is kept of a case with a finding.
func extension(c *behaviour.Case) string {
	if c.Keeps != "" {
		return c.Keeps
	}
	return ".pcapng"
}

// shorten makes files of inputs relative to the result's folder.
func (v *visit) shorten(a *record.Attack) {
	for i := 0; a != nil && i < len(a.Ended); i++ {
		a.Ended[i].File = filepath.Join(v.folder(), filepath.Base(a.Ended[i].File))
	}
}
