package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/appflow"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/safefile"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/telemetry"
	"github.com/upflab/upflab/internal/traffic/trex"
	"github.com/upflab/upflab/internal/trial"
)

// run is a plan under way.
type run struct {
	plan      *Plan
	observer  Observer
	claim     *host.Claim
	placement record.Placement
	result    *record.Result
	done      int                       // trials
	wire      map[record.Key]trial.Wire // what wire did at its latest visit
	failed    map[int]bool              // targets that are not visited again
	study     *stressStudy              // nil: there is no stress study
	tools     appflow.Tools             // of flows
	near      nearness
	stalls    stalls
	trex      *trex.Server // that sends and receives; nil: upflab does
}

// Run carries the plan out into r, which the caller has begun. It goes on with
// the next DUT when one fails; it returns an error only when nothing more can be
// measured, the context's when the user stopped it.
func Run(ctx context.Context, p *Plan, o Observer, r *record.Result) (err error) {
	if err := CheckSearches(p.Scenario); err != nil {
		return err
	}
	if err := p.record(r); err != nil {
		return err
	}
	placement, err := host.Place(p.Scenario.CPU)
	if err != nil {
		return err
	}
	if r.Engine, err = p.engine(); err != nil {
		return err
	}
	generator, err := openTRex(p.Scenario, &r.Engine)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTRex(generator)) }()
	o.Engine(r.Engine)
	claim, err := host.NewClaim(r.Run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	r.Notes = append(r.Notes, neighbours(r.Run)...)
	r.Notes = append(r.Notes, p.Scenario.SizeNotes()...)
	r.Host = host.Facts()
	r.Host.Placement = placement
	claimHost(claim, p.Scenario, !p.applied() && generator == nil, r)
	for _, t := range p.Targets {
		info := t.Info()
		remarks := slices.Concat(KnownDefects(t, p.Scenario), info.Remarks)
		if p.Scenario.RAN == scenario.RANExternal {
			remarks = nil // they are about DUTs that upflab brings up or sends packets to
		}
		r.DUTs = append(r.DUTs, record.DUT{Name: info.Name, Mode: t.Mode, Version: t.Version,
			Reference: isReference(info.Name), Status: record.StatusOK, Remarks: remarks})
	}
	run := &run{plan: p, observer: o, claim: claim, placement: placement, result: r,
		wire: map[record.Key]trial.Wire{}, failed: map[int]bool{}, near: nearness{left: patienceFor(p.Scenario)}, stalls: stalls{dut: placement.DUT, generator: placement.Senders()}, trex: generator}
	if p.applied() {
		run.tools = flowTools()
	}
	err = run.all(ctx)
	trial.NoteHosts(r, p.Scenario, p.Hosts)
	return err
}

// neighbours warns of other runs on this machine.
func neighbours(run string) (notes []string) {
	records, _ := host.Records() // what cannot be read is not ours
	for _, other := range records {
		if other.Live && other.Run != run {
			notes = append(notes, fmt.Sprintf("another upflab run (%s, process %d) was under way: the two disturb each other's numbers", other.Run, other.PID))
		}
	}
	return notes
}

// all visits every target in each repeat, in the order of Plan.order.
func (r *run) all(ctx context.Context) error {
	before, err := telemetry.Take(telemetry.Subject{})
	if err != nil {
		return err
	}
	if err := r.prepareStress(ctx); err != nil {
		return err
	}
	r.result.Order = &record.Order{Seed: uint64(r.plan.Scenario.Seed)}
	for n, block := range r.plan.order() {
		repeat := n + 1
		for _, i := range block {
			if r.failed[i] || r.steps(i, repeat) == 0 {
				r.done += r.steps(i, repeat)
				continue
			}
			r.result.Order.Visit(repeat, r.plan.Targets[i].Label())
			if err := r.settle(ctx, i, r.visit(ctx, i, repeat)); err != nil {
				return err
			}
		}
		if at := r.reference(); at >= 0 && !r.failed[at] && !r.plan.applied() {
			if err := r.settle(ctx, at, r.visitReference(ctx, at, repeat)); err != nil {
				return err
			}
		}
	}
	after, err := telemetry.Take(telemetry.Subject{})
	r.result.Host.StealRatio = telemetry.Between(before, after).MostStolen(r.placement.All()...)
	r.result.Complete = len(r.failed) == 0
	return err
}

// trialsOf lists the trials of a visit to a target.
func (r *run) trialsOf(i, repeat int) []trial.Spec {
	if r.study != nil {
		return r.study.trials(i, repeat)
	}
	return r.plan.trials(repeat)
}

// steps is how many trials, or flows, a visit to a target has.
func (r *run) steps(i, repeat int) int {
	if r.plan.applied() {
		return r.plan.flows()
	}
	return len(r.trialsOf(i, repeat))
}

// settle deals with how a visit to a target ended: the target is given up, or, when
// nothing more can be measured, the run is.
func (r *run) settle(ctx context.Context, i int, err error) error {
	var unsaved saveError
	var aborted abortError
	if ctx.Err() != nil || errors.As(err, &unsaved) || errors.As(err, &aborted) {
		r.interrupted(i)
		return errors.Join(ctx.Err(), unsaved.error, aborted.error)
	}
	if err != nil {
		r.fail(i, err)
	}
	return r.save()
}

// reference is the target that is wire, -1 when there is none.
func (r *run) reference() int {
	return slices.IndexFunc(r.result.DUTs, func(d record.DUT) bool { return d.Reference })
}

// interrupted marks the target that was being visited and those never reached.
func (r *run) interrupted(visited int) {
	for i := range r.result.DUTs {
		if d := &r.result.DUTs[i]; i == visited || len(d.Trials) == 0 && len(d.Flows) == 0 && d.Status == record.StatusOK {
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

// saveError ends a run: what cannot be written down need not be measured.
type saveError struct{ error }

func (e saveError) Unwrap() error { return e.error }

// abortError ends a run because the caller asks for it.
type abortError struct{ error }

func (e abortError) Unwrap() error { return e.error }

func (r *run) save() error {
	r.result.Finished = time.Now()
	if r.plan.Save != nil {
		if err := r.plan.Save(r.result); err != nil {
			return saveError{err}
		}
	}
	if r.plan.Abort != nil {
		if err := r.plan.Abort(r.result); err != nil {
			return abortError{err}
		}
	}
	return nil
}

// folder is the name of a target's folder in the result.
func folder(t dut.Target) string { return strings.NewReplacer(":", "-", "/", "-").Replace(t.Label()) }

// folderOf is where a target's files go.
func (r *run) folderOf(t dut.Target) string { return filepath.Join(r.plan.Dir, folder(t)) }

// open brings a target up.
func (r *run) open(ctx context.Context, target dut.Target, out *record.DUT) (*trial.Deployment, error) {
	return trial.Open(ctx, r.config(target), out)
}

func (r *run) config(target dut.Target) trial.Config {
	return trial.Config{
		Scenario: r.plan.Scenario, Claim: r.claim, Target: target, Placement: r.placement, EngineName: r.result.Engine.Name, Tester: trial.Tester{Hosts: r.plan.Hosts, TRex: r.trex},
		Recording: r.plan.recording, Dir: r.folderOf(target), Root: r.plan.Dir, Packets: r.plan.Packets, Observer: r.observer,
	}
}

// visit brings one target up, measures it and takes it down.
func (r *run) visit(ctx context.Context, i, repeat int) (err error) {
	target := r.plan.Targets[i]
	out := &r.result.DUTs[i]
	if err := safefile.MakeFolder(r.folderOf(target), 0o755); err != nil {
		return fmt.Errorf("make folder for %s: %w", target.Label(), err)
	}
	if r.plan.Scenario.RAN == scenario.RANExternal {
		return r.visitExternalRAN(ctx, i, repeat)
	}
	if r.plan.applied() {
		return r.visitFlows(ctx, i, repeat)
	}
	if r.plan.controlled() && !out.Reference {
		if repeat > 1 { // it is made once
			return nil
		}
		return r.visitControl(ctx, i)
	}
	dp, err := r.open(ctx, target, out)
	if dp != nil {
		defer func() {
			dp.NoteSockets(out)
			err = errors.Join(err, dp.Close())
			dp.NoteN4(out)
		}()
	}
	if err != nil {
		return err
	}
	r.openTaps(dp, out)
	if err := r.watchIdle(ctx, dp, &out.Setup.IdleCores); err != nil {
		return err
	}
	start, first, trials := r.done, len(out.Trials), r.trialsOf(i, repeat)
	defer func() { r.done = start + len(trials) }()
	for n, spec := range trials {
		trial, err := r.trial(ctx, dp, start+n+1, spec)
		if err != nil {
			return err
		}
		out.Trials = append(out.Trials, trial)
		if err := r.save(); err != nil {
			return err
		}
		if err := dp.Alive(); err != nil {
			return dp.Explain("measuring", err, out)
		}
	}
	if err := r.searches(ctx, dp, repeat, out); err != nil {
		return dp.Explain("searching", err, out)
	}
	if err := r.soaks(ctx, dp, repeat, out); err != nil {
		return dp.Explain("soaking", err, out)
	}
	if leak := memoryGrowth(out.Trials[first:]); leak != "" {
		out.Remarks = trial.AppendNew(out.Remarks, leak)
	}
	return r.watchIdle(ctx, dp, &out.Setup.IdleAfterCores)
}
