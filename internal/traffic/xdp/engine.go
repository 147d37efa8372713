// Package xdp is the engine that sends XDP live frames from inside the kernel
// (BPF_PROG_TEST_RUN, Linux 5.18) and receives in an XDP program: millions of
// packets a second from one core, timed by one clock.
package xdp

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/testbed"
	"github.com/upflab/upflab/internal/traffic"
)

// Config of an engine.
type Config struct {
	Flow    *traffic.Flow
	Send    testbed.Port // in the tester's namespaces
	Receive testbed.Port
	CPU     int           // that sends
	Settle  time.Duration // wait for stragglers after the last frame
}

// Engine sends and receives one direction.
type Engine struct {
	config    Config
	generator *generator
	sink      *sink
}

var _ traffic.Engine = (*Engine)(nil)

// Open loads the programs and attaches the sink. Close the engine when done.
func Open(c Config) (*Engine, error) {
	s, err := newSink(c.Flow, c.Receive)
	if err != nil {
		return nil, err
	}
	g, err := newGenerator(c.Flow, c.Send, c.CPU)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return &Engine{config: c, generator: g, sink: s}, nil
}

// Run is traffic.Engine's.
func (e *Engine) Run(ctx context.Context, s traffic.Schedule, m traffic.Marks) (traffic.Outcome, error) {
	var o traffic.Outcome
	control, err := e.generator.prepare(s)
	if err != nil {
		return o, err
	}
	if err := e.sink.begin(control.Trial); err != nil {
		return o, err
	}
	marks := []mark{{0, m.Quiet}, {0, m.Start}}
	if control.Warmup > 0 {
		marks = []mark{{s.Warmup + drain, m.Quiet}, {s.Warmup + s.Quiet, m.Start}}
	}
	stopped := e.generator.send(ctx, &control, marks)
	if m.End != nil {
		m.End()
	}
	time.Sleep(e.config.Settle)
	return o, errors.Join(stopped, e.outcome(control, &o))
}

// drain is how long after the warm-up counters are read: what was under way has
// arrived then.
const drain = 10 * time.Millisecond

// batch is how many frames are flushed together. One is the most exact; above
// a million a second there is no time for it.
func batch(s traffic.Schedule) uint16 {
	switch {
	case s.Max():
		return 64
	case s.PPS > 1.5e6:
		return 8
	}
	return 1
}

func (e *Engine) outcome(c generatorControl, o *traffic.Outcome) error {
	p := e.generator.progress()
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
	if err := readArray(e.generator.objects.Lateness, &o.Lateness); err != nil {
		return err
	}
	return e.sink.read(o)
}

// Live is traffic.Engine's.
func (e *Engine) Live() (sent, received uint64) {
	t, _ := e.sink.totals() // a progress line may miss a reading
	return e.generator.progress().Sent, t.Rx
}

// LiveLatency is traffic.Engine's.
func (e *Engine) LiveLatency(h *traffic.Histogram) error {
	return readPerCPU(e.sink.objects.Latency, h)
}

// Close is traffic.Engine's.
func (e *Engine) Close() error { return errors.Join(e.generator.close(), e.sink.close()) }
