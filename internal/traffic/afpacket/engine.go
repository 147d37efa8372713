package afpacket

import (
	"context"
	"errors"
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
	Sink   int           // CPU of the thread that receives
	Settle time.Duration // wait for stragglers after the last frame
}

// Engine sends and receives the flows of its paths.
type Engine struct {
	settle    time.Duration
	flows     []*traffic.Flow
	generator generator
	sink      sink
	holes     holes
	trial     uint16
}

var _ traffic.Engine = (*Engine)(nil)

// Open opens the sockets and begins to receive. Close the engine when done.
func Open(c Config) (*Engine, error) {
	clock := newMonotonic()
	e := &Engine{settle: max(c.Settle, settleMin), generator: generator{cpu: c.CPU, clock: clock}, sink: sink{cpu: c.Sink, clock: clock}}
	for _, p := range c.Paths {
		if err := e.open(p); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	e.sink.start()
	return e, nil
}

// settleMin is after how long the kernel has handed a block over that is not full.
const settleMin = 20 * time.Millisecond

func (e *Engine) open(p Path) error {
	o, err := openOutlet(p.Flow, p.Send)
	if err != nil {
		return err
	}
	e.generator.outlets = append(e.generator.outlets, o)
	e.flows = append(e.flows, p.Flow)
	// Without its NAPI a veth takes nothing that a native XDP program redirects to
	// it; other devices have theirs, and may not know the feature.
	p.Receive.SetGRO(true)
	return errors.Join(e.holes.open(p.Flow, p.Receive), e.sink.add(p.Flow, p.Receive))
}

// Run is traffic.Engine's. The trial begins when Quiet has returned, however long it
// takes.
func (e *Engine) Run(ctx context.Context, s traffic.Schedule, m traffic.Marks) (traffic.Outcome, error) {
	var o traffic.Outcome
	if err := s.Sequence.Check(e.flows); err != nil {
		return o, err
	}
	if e.trial += 2; e.trial == 0 { // the odd number before it marks the warm-up
		e.trial = 2 // streams are at 0 when they are made
	}
	if err := e.warmUp(ctx, s, m.Quiet); err != nil {
		return o, err
	}
	e.sink.begin(e.trial) // now: a damaged frame of the warm-up does not tell that it is one
	p := e.plan(s, e.trial, s.Duration)
	p.counts = true
	stopped := e.send(ctx, p, m.Start)
	call(m.End)
	time.Sleep(e.settle)
	e.sink.drain()
	e.outcome(p, &o)
	return o, stopped
}

// drain is how long after the warm-up counters are read: what was under way has
// arrived then.
const drain = 10 * time.Millisecond

// warmUp sends the traffic that is not counted, and then is silent.
func (e *Engine) warmUp(ctx context.Context, s traffic.Schedule, quiet func()) error {
	if s.Warmup == 0 {
		call(quiet)
		return nil
	}
	if err := e.send(ctx, e.plan(s, e.trial-1, s.Warmup), nil); err != nil {
		return err
	}
	end := time.Now().Add(s.Quiet)
	time.Sleep(min(drain, s.Quiet))
	call(quiet)
	time.Sleep(time.Until(end))
	return nil
}

func call(mark func()) {
	if mark != nil {
		mark()
	}
}

// lead is how long before its first slot a schedule is made.
const lead = 5 * time.Millisecond

// plan is a part of the schedule for the sending thread: d of it, from now on.
func (e *Engine) plan(s traffic.Schedule, trial uint16, d time.Duration) *plan {
	p := &plan{trial: trial, sequence: s.Sequence, max: s.Max(), batch: batch(s), from: e.generator.clock.now() + uint64(lead)}
	if p.max {
		p.to = p.from + uint64(d)
		return p
	}
	p.slots = pacer{gap: s.Gap(), arrivals: s.Arrivals, slots: s.Slots(d), start: p.from}
	p.to = p.from + uint64(s.Span(p.slots.slots))
	return p
}

// batch is how many frames one call hands over at most. The time in a signature is
// when the frame was built, so a paced trial has smaller ones.
func batch(s traffic.Schedule) int {
	if s.Max() {
		return batchMax
	}
	return 16
}

// send carries a plan out and returns when everything was sent or no more is to be:
// what is late by a hundredth of the plan, and by 50 ms, is given up. It calls start
// when the first slot is due.
func (e *Engine) send(ctx context.Context, p *plan, start func()) error {
	done := e.generator.start(p)
	now := func() time.Duration { return time.Duration(e.generator.clock.now() - p.from) }
	if wait := -now(); wait > 0 {
		time.Sleep(wait)
	}
	call(start)
	length := time.Duration(p.to - p.from)
	limit := time.NewTimer(length + max(50*time.Millisecond, length/100) - now())
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	case <-limit.C:
	}
	e.generator.stop()
	return errors.Join(<-done, ctx.Err())
}

// outcome reads what the trial came to. The sending thread has ended.
func (e *Engine) outcome(p *plan, o *traffic.Outcome) {
	g := &e.generator
	o.Sent = g.sent.Load()
	o.Intended = p.slots.slots
	o.LateSlots, o.Stalls, o.Lateness = g.late, g.stalls, g.lateness
	if o.Sent > 0 {
		span := float64(g.last - g.first)
		o.SendSeconds = span * float64(o.Sent) / float64(max(o.Sent-1, 1)) / 1e9
	}
	if p.max {
		o.Intended, o.BusyRatio, o.LateSlots, o.Lateness = o.Sent, 1, 0, traffic.Histogram{}
	} else if g.previous > g.first {
		o.BusyRatio = min(1, float64(g.busy)/float64(g.previous-g.first))
	}
	for i, in := range e.sink.inlets {
		f := traffic.FlowOutcome{Sent: g.outlets[i].sent, SentBytes: g.outlets[i].bytes}
		in.receiver.Outcome(&f, g.outlets[i].seqs)
		o.Flows = append(o.Flows, f)
	}
}

// Live is traffic.Engine's.
func (e *Engine) Live() (sent, received uint64) {
	for _, in := range e.sink.inlets {
		received += in.receiver.Received()
	}
	return e.generator.sent.Load(), received
}

// LiveLatency is traffic.Engine's.
func (e *Engine) LiveLatency(h *traffic.Histogram) error {
	for _, in := range e.sink.inlets {
		in.receiver.AddLatency(h)
	}
	return nil
}

// RingDrops is how many frames have arrived since Open and found no room in the
// rings that they are read from.
func (e *Engine) RingDrops() (uint64, error) { return e.sink.drops() }

// ClockSteps is how often somebody has set the clock since Open, as seen while
// frames arrived.
func (e *Engine) ClockSteps() uint64 { return e.sink.wall.steps.Load() }

// Close is traffic.Engine's.
func (e *Engine) Close() error {
	err := e.sink.close()
	for _, o := range e.generator.outlets {
		err = errors.Join(err, o.close())
	}
	e.holes.close()
	return err
}
