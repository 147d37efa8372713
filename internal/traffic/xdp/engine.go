// Package xdp is the engine that sends XDP live frames from inside the kernel
// (BPF_PROG_TEST_RUN, Linux 5.18) and receives in an XDP program: millions of
// packets a second from one core, timed by one clock.
package xdp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/traffic"
)

// Path is a flow and where it goes: from one of the tester's ports to another.
type Path struct {
	Flow          *traffic.Flow
	Send, Receive netdev.Port
}

// Config of an engine.
type Config struct {
	Paths  []Path        // one or two; a slot's flow is an index of it
	CPU    int           // that sends
	Settle time.Duration // wait for stragglers after the last frame
	// Buffers tells that whoever receives is no native XDP program: the kernel makes
	// each frame a socket buffer, on the sending CPU.
	Buffers bool
}

// Engine sends and receives the flows of its paths.
type Engine struct {
	config     Config
	flows      []*traffic.Flow
	sinks      []*sink
	generators map[traffic.Slot]*generator // loaded for the one kind of packet they send
	mixture    *generator                  // of all kinds; nil: not needed yet
	current    atomic.Pointer[generator]   // the last trial's
	trial      uint16
}

var _ traffic.Engine = (*Engine)(nil)

// Open loads the programs and attaches the sinks. Close the engine when done.
func Open(c Config) (*Engine, error) {
	e := &Engine{config: c, generators: map[traffic.Slot]*generator{}}
	for _, p := range c.Paths {
		e.flows = append(e.flows, p.Flow)
		s, err := newSink(p.Flow, p.Receive)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.sinks = append(e.sinks, s)
	}
	g, err := e.generator(nil)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.current.Store(g)
	return e, nil
}

// generator gives the one that sends a sequence, and loads it when it is the first
// to need it.
func (e *Engine) generator(q traffic.Sequence) (*generator, error) {
	if err := q.Check(e.flows); err != nil {
		return nil, err
	}
	slot, single := q.Single()
	if !single {
		return e.mixed()
	}
	if g := e.generators[slot]; g != nil {
		return g, nil
	}
	p := e.config.Paths[slot.Flow]
	g, err := newGenerator(p.Flow, int(slot.Shape), p.Send, e.config.CPU)
	if err != nil {
		return nil, err
	}
	g.slot, g.buffers = slot, e.config.Buffers
	e.generators[slot] = g
	return g, nil
}

func (e *Engine) mixed() (g *generator, err error) {
	if e.mixture == nil {
		e.mixture, err = newMixture(e.config)
	}
	return e.mixture, err
}

// Run is traffic.Engine's.
func (e *Engine) Run(ctx context.Context, s traffic.Schedule, m traffic.Marks) (traffic.Outcome, error) {
	var o traffic.Outcome
	g, control, err := e.prepare(s)
	if err != nil {
		return o, err
	}
	quiet := m.Quiet
	m.Quiet = func() {
		err = e.begin() // again: a damaged frame of the warm-up does not tell that it is one
		call(quiet)
	}
	stopped := g.send(ctx, &control, s, m)
	if m.End != nil {
		m.End()
	}
	time.Sleep(e.config.Settle)
	return o, errors.Join(stopped, err, e.outcome(g, control, &o))
}

// begin makes the sinks count the trial's frames, from none.
func (e *Engine) begin() error {
	for _, s := range e.sinks {
		if err := s.begin(e.trial); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes generator and sinks ready for the next trial.
func (e *Engine) prepare(s traffic.Schedule) (g *generator, c generatorControl, err error) {
	if g, err = e.generator(s.Sequence); err != nil {
		return nil, c, err
	}
	e.trial += 2 // the odd number before it marks the warm-up
	if c, err = g.prepare(s, e.trial); err != nil {
		return nil, c, err
	}
	e.current.Store(g)
	if err := e.begin(); err != nil {
		return nil, c, err
	}
	return g, c, nil
}

// batch is how many calls of the program are flushed together, sending or not. One is
// the most exact: eight hold a frame for some microseconds. At high loads there is no
// time for it, least of all where the kernel makes each frame a socket buffer.
func batch(s traffic.Schedule, buffers bool) uint16 {
	buffers = buffers && !s.Burst
	switch {
	case s.Max():
		return 64
	case buffers && s.PPS > 500e3:
		return 32
	case buffers && s.PPS > 250e3, s.PPS > 1.5e6:
		return 8
	}
	return 1
}

func (e *Engine) outcome(g *generator, c generatorControl, o *traffic.Outcome) error {
	p := g.progress()
	o.Sent, o.Intended = p.Sent, c.Slots
	if c.Gap == 0 {
		o.Intended = p.Sent
	}
	o.LateSlots, o.Stalls = p.Late, p.Stalls
	if p.Sent > 0 {
		span := float64(p.Last - p.First)
		o.SendSeconds = span * float64(p.Sent) / float64(max(p.Sent-1, 1)) / 1e9
	}
	if c.Gap == 0 {
		o.BusyRatio = 1
	} else if p.Previous > p.First {
		o.BusyRatio = min(1, float64(p.Busy)/float64(p.Previous-p.First))
	}
	o.Lateness.Sum, o.Lateness.Min, o.Lateness.Max = p.LatenessSum, p.LatenessMin, p.LatenessMax
	if err := readArray(g.objects.Lateness, &o.Lateness); err != nil {
		return err
	}
	o.Flows = make([]traffic.FlowOutcome, len(e.sinks))
	g.sent(p, o.Flows)
	for i := range e.sinks {
		if err := e.received(g, uint8(i), c.Trial, &o.Flows[i]); err != nil {
			return err
		}
	}
	return nil
}

// received reads what became of a flow.
func (e *Engine) received(g *generator, flow uint8, trial uint16, o *traffic.FlowOutcome) error {
	s := e.sinks[flow]
	if err := s.read(o); err != nil {
		return err
	}
	sent, err := g.sentBySession(flow, len(e.flows[flow].Streams), trial)
	if err != nil {
		return err
	}
	o.LossRuns, err = s.lossRuns(trial, sent)
	return err
}

// Live is traffic.Engine's.
func (e *Engine) Live() (sent, received uint64) {
	for _, s := range e.sinks {
		t, _ := s.totals() // a progress line may miss a reading
		received += t.Rx
	}
	return e.current.Load().progress().Sent, received
}

// LiveLatency is traffic.Engine's.
func (e *Engine) LiveLatency(h *traffic.Histogram) error {
	for _, s := range e.sinks {
		if err := s.histograms.latency.add(h); err != nil {
			return err
		}
	}
	return nil
}

// Close is traffic.Engine's.
func (e *Engine) Close() error {
	var errs []error
	for _, g := range e.generators {
		errs = append(errs, g.close())
	}
	if e.mixture != nil {
		errs = append(errs, e.mixture.close())
	}
	for _, s := range e.sinks {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}
