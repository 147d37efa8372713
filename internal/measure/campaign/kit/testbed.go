package kit

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign/engine"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/trex"
)

// Testbed brings targets up: what the run has of the machine, and what sends and receives.
type Testbed struct {
	*Book
	Claim     *host.Claim
	Placement record.Placement
	Dir       string                           // of the result
	Packets   int                              // of each hop that are captured
	Hosts     *hosts.Session                   // that send and receive; nil: this one does
	Raw       func(*trial.Raw) (uint64, error) // nil: it is not kept
	TRex      *trex.Server                     // that sends and receives; nil: upflab does
}

// OpenEngine chooses what sends and receives, where one thing does for the whole run.
func (r *Testbed) OpenEngine(of plan.Kind) (closeEngine func() error, err error) {
	if of.Engine == nil {
		return func() error { return nil }, nil
	}
	if r.Result.Engine, err = of.Engine(r.Plan); err != nil {
		return nil, err
	}
	if r.TRex, err = engine.OpenTRex(r.Plan.Scenario, &r.Result.Engine); err != nil {
		return nil, err
	}
	r.Observer.Engine(r.Result.Engine)
	return func() error { return engine.CloseTRex(r.TRex) }, nil
}

// FolderOf is where a target's files go.
func (r *Testbed) FolderOf(t dut.Target) string { return filepath.Join(r.Dir, plan.Folder(t)) }

// Open brings a target up.
func (r *Testbed) Open(ctx context.Context, target dut.Target, out *record.DUT) (*trial.Deployment, error) {
	return r.OpenWith(ctx, r.Config(target), out)
}

// OpenWith brings up what a configuration says. Where upflab chose an engine whose packets do not come through to the
// target or from it, and those of packet sockets do, the run goes on with these.
func (r *Testbed) OpenWith(ctx context.Context, config trial.Config, out *record.DUT) (*trial.Deployment, error) {
	dp, err := trial.Open(ctx, config, out)
	var unfit *trial.EngineError
	if !errors.As(err, &unfit) || r.Plan.Scenario.Engine != scenario.EngineAuto {
		return dp, err
	}
	if err := dp.Close(); err != nil {
		return nil, err
	}
	r.Result.Engine = record.Engine{Name: string(scenario.EngineAFPacket), Why: unfit.Why()}
	r.Observer.Engine(r.Result.Engine)
	config.EngineName = r.Result.Engine.Name
	return trial.Open(ctx, config, out)
}

// Config is how a target is brought up for trials.
func (r *Testbed) Config(target dut.Target) trial.Config {
	return trial.Config{
		Config: bench.Config{Scenario: r.Plan.Scenario, Claim: r.Claim, Target: target, Placement: r.Placement, Dir: r.FolderOf(target), Root: r.Dir,
			Tester: bench.Tester{Hosts: r.Hosts, TRex: r.TRex}, Stage: r.Observer.Stage},
		EngineName: r.Result.Engine.Name, Recording: r.Plan.Recording, Packets: r.Packets, Observer: r.Observer, Raw: r.keepRaw(),
	}
}

// keepRaw keeps what trials are computed from. What cannot be written down need not be measured.
func (r *Testbed) keepRaw() func(*trial.Raw) (uint64, error) {
	if r.Raw == nil {
		return nil
	}
	return func(raw *trial.Raw) (uint64, error) {
		id, err := r.Raw(raw)
		if err != nil {
			return id, SaveError{Err: err}
		}
		return id, nil
	}
}
