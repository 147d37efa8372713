package afpacket

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/testbed"
	"github.com/upflab/upflab/internal/traffic"
)

// Path is a flow and where it goes: from one of the tester's ports to another.
type Path struct {
	Flow          *traffic.Flow
	Send, Receive testbed.Port
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

// settleMin is after how long a block that is not full has been handed over and
// read, even by a thread that waits for its CPU.
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

// Run is traffic.Engine's.
func (e *Engine) Run(ctx context.Context, s traffic.Schedule, m traffic.Marks) (traffic.Outcome, error) {
	var o traffic.Outcome
	if err := s.Sequence.Check(e.flows); err != nil {
		return o, err
	}
	p, t := e.prepare(s)
	e.sink.begin(p.trial)
	stopped := e.wait(ctx, t, marks(s, t, m), e.generator.start(p))
	if m.End != nil {
		m.End()
	}
	time.Sleep(e.settle)
	e.outcome(p, &o)
	return o, stopped
}

// times of a trial, ns of CLOCK_MONOTONIC.
type times struct {
	begin  uint64 // of the warm-up, or of the trial when there is none
	trial  uint64 // the first slot is due
	end    uint64 // of the trial
	warmed bool
}

// lead is how long before its first slot a schedule is made.
const lead = 5 * time.Millisecond

// prepare makes a schedule a plan for the sending thread.
func (e *Engine) prepare(s traffic.Schedule) (*plan, times) {
	if e.trial += 2; e.trial == 0 { // the odd number before it marks the warm-up
		e.trial = 2 // streams are at 0 when they are made
	}
	p := &plan{trial: e.trial, sequence: s.Sequence, max: s.Max(), batch: batch(s)}
	t := times{begin: e.generator.clock.now() + uint64(lead)}
	if p.max {
		t.warmed = s.Warmup > 0
		p.warmFrom, p.warmTo = t.begin, t.begin+uint64(s.Warmup)
		t.trial = p.warmTo + uint64(s.Quiet)
		t.end = t.trial + uint64(s.Duration)
		p.from, p.to = t.trial, t.end
		return p, t
	}
	warm := s.Slots(s.Warmup)
	t.warmed = warm > 0
	p.warmup = pacer{gap: s.Gap(), arrivals: s.Arrivals, slots: warm, start: t.begin}
	t.trial = t.begin + uint64(s.Span(warm)+s.Quiet)
	p.slots = pacer{gap: s.Gap(), arrivals: s.Arrivals, slots: s.Slots(s.Duration), start: t.trial}
	t.end = t.trial + uint64(s.Span(p.slots.slots))
	return p, t
}

// batch is how many frames one call hands over at most. The time in a signature is
// when the frame was built, so a paced trial has smaller ones.
func batch(s traffic.Schedule) int {
	if s.Max() {
		return batchMax
	}
	return 16
}

// mark is a function to call when its time, ns, has come.
type mark struct {
	at   uint64
	call func()
}

// drain is how long after the warm-up counters are read: what was under way has
// arrived then.
const drain = 10 * time.Millisecond

func marks(s traffic.Schedule, t times, m traffic.Marks) []mark {
	quiet := t.begin
	if t.warmed {
		quiet = t.trial - uint64(s.Quiet-min(drain, s.Quiet))
	}
	return []mark{{quiet, m.Quiet}, {t.trial, m.Start}}
}

// wait returns when everything was sent or no more is to be. It calls each mark, in
// order, when its time has come.
func (e *Engine) wait(ctx context.Context, t times, marks []mark, done <-chan error) (err error) {
	grace := max(50*time.Millisecond, time.Duration((t.end-t.trial)/100))
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			callAll(marks) // a trial shorter than a tick has them, too
			return err
		case <-ctx.Done():
			e.generator.stop()
			return errors.Join(ctx.Err(), <-done)
		case <-tick.C:
		}
		now := e.generator.clock.now()
		for len(marks) > 0 && now >= marks[0].at {
			callAll(marks[:1])
			marks = marks[1:]
		}
		if now > t.end+uint64(grace) {
			e.generator.stop()
			return <-done
		}
	}
}

func callAll(marks []mark) {
	for _, m := range marks {
		if m.call != nil {
			m.call()
		}
	}
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
		in.receiver.Outcome(&f)
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
