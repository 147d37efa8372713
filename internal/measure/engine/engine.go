// Package engine opens the traffic engine of a DUT: it makes the flows of a scenario's sessions, and gives what they are sent
// through.
package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// Config is what an engine is opened with.
type Config struct {
	Bench     *bench.Bench
	Sessions  []smf.Established
	Name      scenario.Engine
	Recording *replay.Recording // nil: no capture is replayed
}

// Engine is a traffic engine with a flow of each direction. What it describes of its flows stays when it is closed.
type Engine struct {
	running
	cfg    Config
	flows  []*traffic.Flow // by FlowOf
	paths  []Path          // of the flows
	speeds speeds
}

// Open opens the engine with a flow for each direction, and has the ports spread them as the scenario asks.
func Open(ctx context.Context, c Config) (*Engine, error) {
	e := &Engine{cfg: c}
	e.describe()
	var err error
	if e.running, err = e.start(ctx); err != nil {
		return nil, err
	}
	if err := e.steer(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.speeds = speedsOf(c.Bench.Site().Links())
	return e, nil
}

// describe makes the flows.
func (e *Engine) describe() {
	b := e.cfg.Bench
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		at := b.Site().Links().Path(d)
		f := flow(b.Scenario, b.Endpoint, e.cfg.Sessions, d)
		f.Source, f.Destination, f.Expect.MAC = at.Send.MAC, at.UPF.MAC, at.Arrive.MAC
		if e.cfg.Recording != nil {
			f.Shapes = e.cfg.Recording.Shapes
		}
		if b.Endpoint.Kind == dut.Bridge {
			f.Destination = at.Arrive.MAC
		}
		e.paths = append(e.paths, Path{f, at.Send, at.Arrive})
		e.flows = append(e.flows, f)
	}
}

func (e *Engine) start(ctx context.Context) (running, error) {
	b := e.cfg.Bench
	if b.Hosts != nil {
		return e.openHosts(ctx)
	}
	if b.TRex != nil {
		return e.openTRex()
	}
	return open(e.cfg.Name, opening{e.paths, b.Placement, b.Scenario, b.Endpoint.XDP != dut.NativeXDP})
}

// UsePacketSockets closes the engine, and opens one of packet sockets in its place.
func (e *Engine) UsePacketSockets() (closed, opened error) {
	if err := e.running.Close(); err != nil {
		return err, nil
	}
	b := e.cfg.Bench
	e.running, opened = open(scenario.EngineAFPacket, opening{e.paths, b.Placement, b.Scenario, true})
	return nil, opened
}

// Path is where the packets of a direction, uplink or downlink, go.
func (e *Engine) Path(d record.Direction) Path { return e.paths[FlowOf(d)] }

// Sockets are those that the engine sends by, where it is by AF_XDP.
func (e *Engine) Sockets() []record.Socket {
	if e.sockets == nil {
		return nil
	}
	return e.sockets()
}

// RingDrops is what the engine itself had no room for.
func (e *Engine) RingDrops() (uint64, error) {
	if e.ringDrops == nil {
		return 0, nil
	}
	return e.ringDrops()
}

// ByWindows has it count by windows in the trials to come, or no longer, where that changes a program at a port.
func (e *Engine) ByWindows(on bool) error {
	if e.byWindows == nil {
		return nil
	}
	return e.byWindows(on)
}

// Shares are what each host did in the trial that came to an outcome; nil: it runs on this host alone.
func (e *Engine) Shares(o *traffic.Outcome) []hosts.Share {
	if e.shares == nil {
		return nil
	}
	return e.shares(o)
}

// Close ends sending and receiving; it may be called again.
func (e *Engine) Close() error {
	if e.running.Engine == nil {
		return nil
	}
	err := e.running.Close()
	e.running = running{}
	return err
}

// Receive gives the NAPI threads of the UPF's ports and of the sink's their CPUs. On
// one shared CPU everything runs where it is sent from, without threads; and so it
// does where there are no threads of the kernel's to pin.
func (e *Engine) Receive() site.Receive {
	b := e.cfg.Bench
	r := site.Receive{NAPI: b.Endpoint.XDP != dut.NativeXDP, SinkNAPI: e.cfg.Name == scenario.EngineAFPacket}
	if !b.PinsReceive() {
		return r
	}
	r.UPF = b.ReceiveCPUs(b.Placement.Receivers()...)
	if !slices.Contains(b.Placement.DUT, b.Placement.Sink) { // else it runs in the softirq that sends to it
		r.Sink = b.Placement.Receivers()
	}
	return r
}
