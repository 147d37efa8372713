package campaign

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign/engine"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/trex"
)

// testbed brings targets up: what the run has of the machine, and what sends and receives.
type testbed struct {
	*book
	claim     *host.Claim
	placement record.Placement
	trex      *trex.Server // that sends and receives; nil: upflab does
}

// openEngine chooses what sends and receives, where one thing does for the whole run.
func (r *testbed) openEngine(of plan.Kind) (closeEngine func() error, err error) {
	if of.Engine == nil {
		return func() error { return nil }, nil
	}
	if r.result.Engine, err = of.Engine(r.plan); err != nil {
		return nil, err
	}
	if r.trex, err = engine.OpenTRex(r.plan.Scenario, &r.result.Engine); err != nil {
		return nil, err
	}
	r.observer.Engine(r.result.Engine)
	return func() error { return engine.CloseTRex(r.trex) }, nil
}

// folderOf is where a target's files go.
func (r *testbed) folderOf(t dut.Target) string { return filepath.Join(r.job.Dir, plan.Folder(t)) }

// open brings a target up.
func (r *testbed) open(ctx context.Context, target dut.Target, out *record.DUT) (*trial.Deployment, error) {
	return r.openWith(ctx, r.config(target), out)
}

// openWith brings up what a configuration says. Where upflab chose an engine whose packets do not come through to the
// target or from it, and those of packet sockets do, the run goes on with these.
func (r *testbed) openWith(ctx context.Context, config trial.Config, out *record.DUT) (*trial.Deployment, error) {
	dp, err := trial.Open(ctx, config, out)
	var unfit *trial.EngineError
	if !errors.As(err, &unfit) || r.plan.Scenario.Engine != scenario.EngineAuto {
		return dp, err
	}
	if err := dp.Close(); err != nil {
		return nil, err
	}
	r.result.Engine = record.Engine{Name: string(scenario.EngineAFPacket), Why: unfit.Why()}
	r.observer.Engine(r.result.Engine)
	config.EngineName = r.result.Engine.Name
	return trial.Open(ctx, config, out)
}

func (r *testbed) config(target dut.Target) trial.Config {
	return trial.Config{
		Scenario: r.plan.Scenario, Claim: r.claim, Target: target, Placement: r.placement,
		EngineName: r.result.Engine.Name, Tester: trial.Tester{Hosts: r.job.Hosts, TRex: r.trex},
		Recording: r.plan.Recording, Dir: r.folderOf(target), Root: r.job.Dir, Packets: r.job.Packets, Observer: r.observer, Raw: r.job.keepRaw(),
	}
}
