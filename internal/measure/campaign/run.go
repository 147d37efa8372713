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
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// run is a job under way: the loop over repeats and targets.
type run struct {
	*kit.Book
	*kit.Testbed
	*kit.Meter
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
	book := &kit.Book{Plan: p, Observer: o, Result: r, Write: j.Save, Abort: j.Abort, Calibration: j.Calibration}
	bed := &kit.Testbed{Book: book, Placement: placement, Dir: j.Dir, Packets: j.Packets, Hosts: j.Hosts, Raw: j.Raw}
	run := &run{Book: book, Testbed: bed, Meter: kit.NewMeter(book, placement),
		kind: kind, work: works()[kind.Name], wireTakes: map[wirePackets]float64{}, failed: map[int]bool{}}
	closeEngine, err := run.OpenEngine(kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeEngine()) }()
	if run.Claim, err = host.NewClaim(r.Run); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undone(run.Claim.Close())) }()
	run.Meet()
	r.Notes = append(r.Notes, p.Scenario.SizeNotes()...)
	r.Families, r.Host = trial.Families(p.Scenario), host.Facts()
	if r.Host.Placement = placement; p.Targets.Elsewhere() {
		r.Host.Placement = placement.WithoutDUT()
	}
	claimHost(run.Claim, p.Scenario, run.kind.Polls && run.TRex == nil, r)
	for _, t := range p.Targets {
		r.DUTs = append(r.DUTs, begun(t, p.Scenario))
	}
	run.Budget = kit.TimeBudget{Begun: time.Now(), Takes: p.Outline().Takes, Steps: p.Trials()}
	if run.until = newUntil(p, run.Budget.Begun, r); run.until != nil {
		run.Budget.Ends = run.until.ends
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
	r.Result.Order = &record.Order{Seed: uint64(r.Plan.Scenario.Seed)}
	for n, block := range r.Plan.Order() {
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
	r.Result.Host.StealRatio = telemetry.Between(before, after).MostStolen(r.Placement.All()...)
	r.Result.Complete = len(r.failed) == 0
	return err
}

// block is a repeat: it visits every target, and then wire once more.
func (r *run) block(ctx context.Context, block []int, repeat int) error {
	for _, i := range block {
		if err := r.visit(ctx, i, repeat); err != nil {
			return err
		}
	}
	at := r.Reference()
	if at < 0 || r.failed[at] || r.work.after == nil {
		return nil
	}
	return r.settle(ctx, at, r.work.after(ctx, r.visitOf(at, repeat)))
}

// visit visits a target, unless it was given up or has nothing to measure in this repeat.
func (r *run) visit(ctx context.Context, i, repeat int) error {
	steps := r.steps(i, repeat)
	defer func() { r.done += steps; r.Budget.Done = r.done }()
	if r.failed[i] || steps == 0 {
		return nil
	}
	v := r.visitOf(i, repeat)
	r.Result.Order.Visit(repeat, v.target.Label())
	err := safefile.MakeFolder(r.FolderOf(v.target), 0o755)
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
	return r.kind.Steps(r.Plan, i, repeat)
}

func (r *run) visitOf(i, repeat int) *visit {
	return &visit{run: r, target: r.Plan.Targets[i], out: &r.Result.DUTs[i], i: i, repeat: repeat, first: r.done}
}

// settle deals with how a visit to a target ended: the target is given up, or, when
// nothing more can be measured, the run is.
func (r *run) settle(ctx context.Context, i int, err error) error {
	var unsaved kit.SaveError
	var aborted kit.AbortError
	r.Meet()
	if ctx.Err() != nil || errors.As(err, &unsaved) || errors.As(err, &aborted) {
		r.interrupted(i)
		if unsaved.Err != nil { // nobody interrupted it
			r.Result.DUTs[i].Error = "the run ended: " + unsaved.Error()
		}
		return errors.Join(ctx.Err(), unsaved.Err, aborted.Err)
	}
	if err != nil {
		r.fail(i, err)
	}
	return r.Save()
}

// interrupted marks the target that was being visited and those never reached.
func (r *run) interrupted(visited int) {
	for i := range r.Result.DUTs {
		if d := &r.Result.DUTs[i]; i == visited || len(d.Trials)+len(d.Flows)+len(d.Cases)+len(d.Incidents)+len(d.Instructions) == 0 && d.Status == record.StatusOK {
			d.Status = record.StatusInterrupted
		}
	}
}

// fail gives a target up and writes down why.
func (r *run) fail(i int, err error) {
	r.failed[i] = true
	r.Result.DUTs[i].Status = record.StatusFailed
	r.Result.DUTs[i].Error = err.Error()
	r.Observer.Failed(r.Plan.Targets[i].Label(), err)
}
