package trial

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// Config is what a deployment is made of.
type Config struct {
	bench.Config
	EngineName string
	Recording  *replay.Recording // nil: no capture is replayed
	Packets    int               // to capture of each hop; 0: none
	Observer   Observer
	// Raw keeps what a trial is computed from, and gives the number of its record; nil: it is not kept.
	Raw func(*Raw) (uint64, error)
}

// Deployment is one DUT that is up with its sessions and a traffic engine: it brings that up
// and takes it down. What is read around a trial its meters read, and a judge judges.
type Deployment struct {
	*bench.Up
	cfg     Config
	engine  *engine.Engine // nil: it was not opened
	meters  *meters.Meters // nil, likewise
	packets *tap           // nil: none are captured
}

// Open brings a DUT up and writes into out how that went. On error what was opened
// is in the deployment, too, so that its log can be read; close it.
func Open(ctx context.Context, c Config, out *record.DUT) (*Deployment, error) {
	dp := newDeployment(c)
	if dp.packets = newTap(dp.Up, c.Packets, out); dp.packets != nil {
		dp.BeforeN4 = dp.packets.tapN4
	}
	return dp, dp.open(ctx, out,
		bench.Stage{What: "opening traffic", Do: func() error { return dp.openTraffic(ctx) }},
		bench.Stage{What: "watching the CPUs", Do: func() error { return dp.meters.Watch(out) }},
		bench.Stage{What: "probing", Do: func() error { return dp.probe(ctx, out) }})
}

// OpenToCount brings a DUT up as Open does, and leaves out what would be counted with it: nothing is watched, and no
// traffic engine receives once the DUT has shown that it forwards.
func OpenToCount(ctx context.Context, c Config, out *record.DUT) (*Deployment, error) {
	dp := newDeployment(c)
	return dp, dp.open(ctx, out,
		bench.Stage{What: "opening traffic", Do: func() error { return dp.openTraffic(ctx) }},
		bench.Stage{What: "probing", Do: func() error { return dp.probe(ctx, out) }},
		bench.Stage{What: "closing the engine", Do: dp.closeTraffic})
}

func newDeployment(c Config) *Deployment { return &Deployment{Up: bench.NewUp(c.Config), cfg: c} }

// open brings the DUT up with its sessions, and then does what its traffic wants.
func (dp *Deployment) open(ctx context.Context, out *record.DUT, traffic ...bench.Stage) error {
	if err := dp.Up.Open(ctx, out, traffic...); err != nil {
		return err
	}
	out.Setup.Sockets = dp.engine.Sockets()
	return nil
}

// openTraffic opens the engine and its meters, and gives each part its CPU.
func (dp *Deployment) openTraffic(ctx context.Context) (err error) {
	dp.engine, err = engine.Open(ctx, engine.Config{
		Bench: dp.Bench, Sessions: dp.SMF.Sessions(), Name: scenario.Engine(dp.cfg.EngineName), Recording: dp.cfg.Recording,
	})
	if err != nil {
		return err
	}
	if dp.meters, err = meters.Open(dp.Bench, dp.engine); err != nil {
		return err
	}
	return dp.PrepareReceive(dp.engine.Receive())
}

// closeTraffic ends what openTraffic began.
func (dp *Deployment) closeTraffic() error {
	return errors.Join(dp.engine.Close(), dp.meters.CloseDrops())
}

// probe sends a few packets each way, and has them captured where that is asked.
func (dp *Deployment) probe(ctx context.Context, out *record.DUT) error {
	p := &prober{up: dp.Up, engine: dp.engine, meters: dp.meters, name: scenario.Engine(dp.cfg.EngineName)}
	if dp.packets == nil {
		return p.probe(ctx)
	}
	return dp.packets.probe(ctx, p, out)
}

// NoteSockets records what the engine's sockets came to, where it has some.
func (dp *Deployment) NoteSockets(out *record.DUT) {
	if dp.engine == nil {
		return
	}
	if list := dp.engine.Sockets(); len(list) > 0 {
		out.Setup.Sockets = list
	}
}

// OpenDelayProbes times one packet in so many at the DUT's ports until CloseDelayProbes or Close; 0:
// none. An error says why delays at this DUT are not known: it can be measured without.
func (dp *Deployment) OpenDelayProbes(every int) error { return dp.meters.OpenDelayProbes(every) }

// CloseDelayProbes takes them away.
func (dp *Deployment) CloseDelayProbes() error { return dp.meters.CloseDelayProbes() }

// LineNS is how long a cache line takes from the generator's CPU to the UPF's and back, ns; 0:
// they are one CPU or on different machines, or it was not measured.
func (dp *Deployment) LineNS() float64 { return dp.meters.LineNS() }

// Close takes everything down, in the reverse order.
func (dp *Deployment) Close() error {
	var errs []error
	if dp.meters != nil {
		errs = append(errs, dp.meters.Close())
	}
	if dp.packets != nil {
		errs = append(errs, dp.packets.capture.Close())
	}
	errs = append(errs, dp.SMF.Close())
	if dp.engine != nil {
		errs = append(errs, dp.engine.Close())
	}
	return errors.Join(append(errs, dp.Bench.Close())...)
}
