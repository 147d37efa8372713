package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/appflow"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// run is a job under way: the loop over repeats and targets.
type run struct {
	*book
	*testbed
	*meter
	kind   plan.Kind
	work   work          // of the kind
	done   int           // trials, flows, cases or incidents
	until  *until        // nil: the number of repeats is settled
	failed map[int]bool  // targets that are not visited again
	study  *stressStudy  // nil: there is no stress study
	tools  appflow.Tools // of flows

	wireTakes map[wirePackets]float64 // instructions of a packet through wire
}

// visit is one repeat of a target: what a kind measures.
type visit struct {
	*run
	target dut.Target
	out    *record.DUT
	i      int // number of the target
	repeat int // from 1
	first  int // number of the step before its first
	step   int // how many steps it has made, of a kind that counts them
}

// Run makes a run into r, which the caller has begun. It goes on with
// the next DUT when one fails; it returns an error only when nothing more can be
// measured, the context's when the user stopped it.
func Run(ctx context.Context, j *Job, o watch.Observer, r *record.Result) (err error) {
	p := &j.Plan
	if err := p.Check(); err != nil {
		return err
	}
	if err := p.ReadRecording(r); err != nil {
		return err
	}
	placement, err := p.Place()
	if err != nil {
		return err
	}
	kind := p.Kind()
	book := &book{plan: p, job: j, observer: o, result: r}
	run := &run{book: book, testbed: &testbed{book: book, placement: placement}, meter: newMeter(book, placement),
		kind: kind, work: works()[kind.Name], wireTakes: map[wirePackets]float64{}, failed: map[int]bool{}}
	closeEngine, err := run.openEngine(kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeEngine()) }()
	if run.claim, err = host.NewClaim(r.Run); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undone(run.claim.Close())) }()
	run.meet()
	r.Notes = append(r.Notes, p.Scenario.SizeNotes()...)
	r.Families, r.Host = trial.Families(p.Scenario), host.Facts()
	if r.Host.Placement = placement; p.Targets.Elsewhere() {
		r.Host.Placement = placement.WithoutDUT()
	}
	claimHost(run.claim, p.Scenario, run.kind.Polls && run.trex == nil, r)
	for _, t := range p.Targets {
		r.DUTs = append(r.DUTs, begun(t, p.Scenario))
	}
	run.budget = timeBudget{begun: time.Now(), takes: p.Outline().Takes, steps: p.Trials()}
	if run.until = newUntil(p, run.budget.begun, r); run.until != nil {
		run.budget.ends = run.until.ends
	}
	err = run.all(ctx)
	trial.NoteHosts(r, p.Scenario, j.Hosts)
	return err
}

// LeftError says what of the machine was not given back after a run.
type LeftError struct{ Err error }

func (e LeftError) Error() string { return e.Err.Error() }

// Unwrap gives the errors.
func (e LeftError) Unwrap() error { return e.Err }

func undone(err error) error {
	if err == nil {
		return nil
	}
	return LeftError{err}
}

// begun is the record of a target before its first visit.
func begun(t dut.Target, s *scenario.Scenario) record.DUT {
	info := t.Info()
	remarks := slices.Concat(plan.KnownDefects(t, s), info.Remarks)
	if s.RAN == scenario.RANExternal {
		remarks = nil // they are about DUTs that upflab brings up or sends packets to
	}
	return record.DUT{Name: info.Name, Mode: t.Mode, Version: t.Version, Reference: plan.IsReference(info.Name),
		Status: record.StatusOK, Remarks: remarks}
}

// all visits every target in each repeat, in the order of Plan.order.
func (r *run) all(ctx context.Context) error {
	before, err := telemetry.Take(telemetry.Subject{})
	if err != nil {
		return err
	}
	if r.work.before != nil {
		if err := r.work.before(ctx, r); err != nil {
			return err
		}
	}
	r.result.Order = &record.Order{Seed: uint64(r.plan.Scenario.Seed)}
	for n, block := range r.plan.Order() {
		if !r.until.fits(time.Now()) {
			break
		}
		if err := r.block(ctx, block, n+1); err != nil {
			return err
		}
		if r.until.over(time.Now(), n+1, r) {
			break
		}
	}
	after, err := telemetry.Take(telemetry.Subject{})
	r.result.Host.StealRatio = telemetry.Between(before, after).MostStolen(r.placement.All()...)
	r.result.Complete = len(r.failed) == 0
	return err
}

// block is a repeat: it visits every target, and then wire once more.
func (r *run) block(ctx context.Context, block []int, repeat int) error {
	for _, i := range block {
		if err := r.visit(ctx, i, repeat); err != nil {
			return err
		}
	}
	at := r.reference()
	if at < 0 || r.failed[at] || r.work.after == nil {
		return nil
	}
	return r.settle(ctx, at, r.work.after(ctx, r.visitOf(at, repeat)))
}

// visit visits a target, unless it was given up or has nothing to measure in this repeat.
func (r *run) visit(ctx context.Context, i, repeat int) error {
	steps := r.steps(i, repeat)
	defer func() { r.done += steps; r.budget.done = r.done }()
	if r.failed[i] || steps == 0 {
		return nil
	}
	v := r.visitOf(i, repeat)
	r.result.Order.Visit(repeat, v.target.Label())
	err := safefile.MakeFolder(r.folderOf(v.target), 0o755)
	if err != nil {
		err = fmt.Errorf("make folder for %s: %w", v.target.Label(), err)
	} else {
		err = r.work.visit(ctx, v)
	}
	return r.settle(ctx, i, err)
}

// steps is how many target i has in a repeat.
func (r *run) steps(i, repeat int) int {
	if r.work.steps != nil {
		return r.work.steps(r, i, repeat)
	}
	return r.kind.Steps(r.plan, i, repeat)
}

func (r *run) visitOf(i, repeat int) *visit {
	return &visit{run: r, target: r.plan.Targets[i], out: &r.result.DUTs[i], i: i, repeat: repeat, first: r.done}
}

// settle deals with how a visit to a target ended: the target is given up, or, when
// nothing more can be measured, the run is.
func (r *run) settle(ctx context.Context, i int, err error) error {
	var unsaved saveError
	var aborted abortError
	r.meet()
	if ctx.Err() != nil || errors.As(err, &unsaved) || errors.As(err, &aborted) {
		r.interrupted(i)
		if unsaved.error != nil { // nobody interrupted it
			r.result.DUTs[i].Error = "the run ended: " + unsaved.Error()
		}
		return errors.Join(ctx.Err(), unsaved.error, aborted.error)
	}
	if err != nil {
		r.fail(i, err)
	}
	return r.save()
}

// interrupted marks the target that was being visited and those never reached.
func (r *run) interrupted(visited int) {
	for i := range r.result.DUTs {
		if d := &r.result.DUTs[i]; i == visited || len(d.Trials)+len(d.Flows)+len(d.Cases)+len(d.Incidents)+len(d.Instructions) == 0 && d.Status == record.StatusOK {
			d.Status = record.StatusInterrupted
		}
	}
}

// fail gives a target up and writes down why.
func (r *run) fail(i int, err error) {
	r.failed[i] = true
	r.result.DUTs[i].Status = record.StatusFailed
	r.result.DUTs[i].Error = err.Error()
	r.observer.Failed(r.plan.Targets[i].Label(), err)
}
