// Package runs lets incidents happen to DUTs, one after the other.
package runs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/behaviour/lab"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/resilience"
	"github.com/upflab/upflab/internal/safefile"
	"github.com/upflab/upflab/internal/scenario"
)

// Plan is what is run.
type Plan struct {
	Scenario *scenario.Scenario
	Targets  []dut.Target
	Kinds    []resilience.Kind
	Dir      string // of the result
	// Save is called after each incident.
	Save func(*record.Result) error
}

// Observer follows a run.
type Observer interface {
	Stage(target, what string)
	Incident(target string, x record.Incident)
	Failed(target string, err error)
}

// room is how many sessions UPFs are configured for, where they take that many.
const room = 2048

// Run carries the plan out into r, which the caller has begun. It goes on with the next
// DUT when one does not come up.
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
		r.DUTs = append(r.DUTs, record.DUT{Name: t.Name(), Mode: t.Mode, Version: t.Version, Status: record.StatusOK})
	}
	for i := range p.Targets {
		v := visit{plan: p, observer: o, result: r, out: &r.DUTs[i], target: p.Targets[i]}
		v.config = lab.Config{Claim: claim, Target: v.target, CPUs: placement.DUT, Dir: v.dir()}
		if err := v.settle(ctx, v.run(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// visit is the incidents of one DUT.
type visit struct {
	plan     *Plan
	observer Observer
	result   *record.Result
	out      *record.DUT
	target   dut.Target
	config   lab.Config

	lab   *lab.Lab // nil: the DUT is not up
	bench *resilience.Bench
}

func (v *visit) dir() string {
	return filepath.Join(v.plan.Dir, strings.NewReplacer(":", "-", "/", "-").Replace(v.target.Label()))
}

// settle writes down how a visit ended.
func (v *visit) settle(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		v.out.Status, v.result.Complete = record.StatusInterrupted, false
	case err != nil:
		v.out.Status, v.out.Error, v.result.Complete = record.StatusFailed, err.Error(), false
		v.observer.Failed(v.target.Label(), err)
	}
	v.result.Finished = time.Now()
	return errors.Join(ctx.Err(), v.plan.Save(v.result))
}

// run lets all incidents happen. Each finds the UPF up; one that was rough, or that
// ended it, is followed by a new start of everything.
func (v *visit) run(ctx context.Context) (err error) {
	if err := safefile.MakeFolder(v.dir(), 0o755); err != nil {
		return fmt.Errorf("make folder for %s: %w", v.target.Label(), err)
	}
	s := *v.plan.Scenario
	s.Sessions = room
	if most := v.target.Info().MaxSessions; most > 0 {
		s.Sessions = min(room, most)
	}
	v.config.Scenario = &s
	defer func() { err = errors.Join(err, v.down()) }()
	for _, k := range v.plan.Kinds {
		if err := v.up(ctx); err != nil {
			return fmt.Errorf("%s: %w", v.target.Label(), err)
		}
		v.observer.Stage(v.target.Label(), k.ID)
		k.UEs = min(k.UEs, s.Sessions/2)
		x, err := v.bench.Do(ctx, k)
		if err != nil {
			return err
		}
		v.out.Incidents = append(v.out.Incidents, x)
		v.observer.Incident(v.target.Label(), x)
		if err := v.plan.Save(v.result); err != nil {
			return err
		}
		if k.Rough || x.Problem != "" {
			if err := v.down(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *visit) up(ctx context.Context) (err error) {
	if v.lab != nil {
		return nil
	}
	v.observer.Stage(v.target.Label(), "starting")
	if v.lab, err = lab.Open(ctx, v.config); err != nil {
		v.lab = nil
		return err
	}
	if v.bench, err = resilience.Open(ctx, v.lab); err != nil {
		v.out.LogTail = v.lab.LogTail()
	}
	return err
}

func (v *visit) down() error {
	var errs []error
	if v.bench != nil {
		errs = append(errs, v.bench.Close())
	}
	if v.lab != nil {
		errs = append(errs, v.lab.Close())
	}
	v.bench, v.lab = nil, nil
	return errors.Join(errs...)
}
