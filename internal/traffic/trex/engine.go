package trex

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// EngineConfig of an engine.
type EngineConfig struct {
	Flows      []*traffic.Flow // uplink goes from the N3 port to the N6 port, downlink back
	LatencyPPS float64         // packets/s of a trial whose delay is taken, of all its streams together
	Settle     time.Duration   // wait for stragglers after the last frame
}

// Engine is traffic.Engine by a server's two ports.
type Engine struct {
	server     *Server
	flows      []*traffic.Flow
	latencyPPS float64
	settle     time.Duration
	base       uint32 // of the numbers of packet groups

	mu       sync.Mutex
	sent     uint64
	received uint64
	delays   traffic.Histogram
}

var _ traffic.Engine = (*Engine)(nil)

// leastSettle: TRex closes the periods in which it takes the longest delay each half second.
const leastSettle = 1200 * time.Millisecond

// Engine is one for flows. Close it before the next; the server stays.
func (s *Server) Engine(c EngineConfig) (*Engine, error) {
	e := &Engine{server: s, flows: c.Flows, latencyPPS: c.LatencyPPS, settle: max(c.Settle, leastSettle), base: rand.Uint32N(1<<30) + 1}
	for _, f := range c.Flows { // what cannot be sent is said before anything is measured
		if _, err := instructions(f); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// sender is the port that sends a flow, arrival the one where it arrives.
func (e *Engine) sender(flow int) int  { return e.server.portOf(e.flows[flow].Uplink()).id }
func (e *Engine) arrival(flow int) int { return e.server.portOf(!e.flows[flow].Uplink()).id }

// Live implements traffic.Engine: it gives how far the running trial is.
func (e *Engine) Live() (sent, received uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sent, e.received
}

// LiveLatency implements traffic.Engine: it adds the latencies so far to the counts of h.
func (e *Engine) LiveLatency(h *traffic.Histogram) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	h.AddCounts(&e.delays)
	return nil
}

// Close implements traffic.Engine: it frees the ports. The ports stay the server's. When the server
// was lost, Run said so.
func (e *Engine) Close() error {
	before := e.server.lost()
	if err := e.clear(); !before || !lost(err) {
		return err
	}
	return nil
}

// clear leaves the ports without traffic and streams.
func (e *Engine) clear() error {
	for _, p := range e.server.ports {
		if err := e.server.clear(p); err != nil {
			return err
		}
	}
	return nil
}

// RingDrops is how many packets arrived for which TRex had no room, since its start.
func (e *Engine) RingDrops() (n uint64, err error) {
	for id := range e.server.ports {
		s, err := e.server.stats(id)
		if err != nil {
			return 0, err
		}
		n += s.Missed
	}
	return n, nil
}

// load replaces the streams of the ports by those of a plan.
func (e *Engine) load(p *plan) error {
	if err := e.clear(); err != nil {
		return err
	}
	for i, s := range p.streams {
		definition, err := s.definition(e.flows[s.flow])
		if err != nil {
			return err
		}
		params := map[string]any{"profile_id": profile, "stream_id": i + 1, "stream": definition}
		if err := e.server.rpc.do("add_stream", e.server.own(e.server.ports[s.port], params), nil); err != nil {
			return err
		}
	}
	return nil
}

// start sends the loaded streams for a time, from all ports at once.
func (e *Engine) start(p *plan, d time.Duration) error {
	var calls []call
	for _, id := range p.ports() {
		calls = append(calls, call{"start_traffic", e.server.own(e.server.ports[id], map[string]any{
			"profile_id": profile, "duration": d.Seconds(), "force": true, "start_at_ts": 0,
			"mul": map[string]any{"type": "raw", "op": "abs", "value": 1.0},
		})})
	}
	return e.server.rpc.all(calls, nil)
}

// halt ends sending.
func (e *Engine) halt(p *plan) error {
	var calls []call
	for _, id := range p.ports() {
		calls = append(calls, call{"stop_traffic", e.server.own(e.server.ports[id], map[string]any{"profile_id": profile})})
	}
	return e.server.rpc.all(calls, nil)
}

// sending reports whether a port still sends.
func (e *Engine) sending(p *plan) (bool, error) {
	for _, id := range p.ports() {
		status, err := e.server.status(id)
		if err != nil || status.sending() {
			return true, err
		}
		if !status.Attributes.Link.Up {
			return false, fmt.Errorf("port %d of the TRex server %s lost its link", id, e.server.rpc.address)
		}
	}
	return false, nil
}
