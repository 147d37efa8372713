package engine

import (
	"context"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/trex"
)

// openHosts opens the engine of several hosts.
func (e *Engine) openHosts(ctx context.Context) (running, error) {
	b := e.cfg.Bench
	x, err := b.Hosts.Engine(ctx, hosts.Config{
		Flows: [2]traffic.Flow{*e.flows[0], *e.flows[1]}, GNBs: b.Scenario.GNBs(), OneGNB: b.Endpoint.IsWire() || !b.Endpoint.HasN4(),
		Settle: b.Scenario.Settle.Duration, Buffers: b.Endpoint.XDP != dut.NativeXDP,
		AFXDP: e.cfg.Name == scenario.EngineAFXDP,
	})
	if err != nil {
		return running{}, err
	}
	return running{Engine: x, byWindows: x.ByWindows, shares: x.Shares}, nil
}

// openTRex opens the engine of a TRex server.
func (e *Engine) openTRex() (running, error) {
	b := e.cfg.Bench
	x, err := b.TRex.Engine(trex.EngineConfig{Flows: e.flows, LatencyPPS: float64(b.Scenario.TRex.LatencyPPS),
		Settle: b.Scenario.Settle.Duration})
	if err != nil {
		return running{}, err
	}
	return running{Engine: x, ringDrops: x.RingDrops}, nil
}
