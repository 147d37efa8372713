package sender

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// Source sends from one CPU, for its share of the sessions.
type Source struct {
	generator generator
	flows     []*traffic.Flow

	// Of the current trial:
	schedule traffic.Schedule
	trial    uint16
	plan     *plan
}

var _ traffic.Source = (*Source)(nil)

// New makes a source. All sources of a schedule have the same clock.
func New(cpu int, share traffic.Share, clock Clock) *Source {
	return &Source{generator: generator{cpu: cpu, clock: clock, share: share}}
}

// Add adds a flow, and the port that it leaves by, which has a name; the source closes it.
func (e *Source) Add(f *traffic.Flow, name string, port Port) {
	o := newOutput(f, name, port)
	o.windows, o.flow = &e.generator.windows, len(e.generator.outputs)
	e.generator.outputs = append(e.generator.outputs, o)
	e.flows = append(e.flows, f)
}

// Prepare implements traffic.Source: it makes the source ready for a trial with this number.
func (e *Source) Prepare(s traffic.Schedule, trial uint16) error {
	e.schedule, e.trial, e.plan = s, trial, &plan{}
	e.generator.forget()
	for _, o := range e.generator.outputs {
		o.next = 0
	}
	e.generator.windows.begin(len(e.flows))
	return s.Sequence.Check(e.flows)
}

// Send implements traffic.Source: it sends the warm-up and the trial, and returns when the last packet
// was handed over. The trial begins when Quiet has returned, however long it takes.
func (e *Source) Send(ctx context.Context, m traffic.Marks) error {
	if err := e.warmUp(ctx, e.schedule, m.Quiet); err != nil {
		return err
	}
	e.align()
	first := e.generator.clock.Now() + uint64(lead)
	if m.Agree != nil {
		first = m.Agree(first)
	}
	e.plan = e.makePlan(e.schedule, e.trial, e.schedule.Duration, first)
	e.plan.counts = true
	e.generator.windows.open(e.plan)
	return e.send(ctx, e.plan, m.Start)
}

// align goes to the sessions whose turn it is after the warm-up, also when that was cut off
// because the machine stood still: all sources of a schedule have to agree on them.
func (e *Source) align() {
	warmup := e.schedule.Slots(e.schedule.Warmup)
	if warmup == 0 {
		return
	}
	for flow, o := range e.generator.outputs {
		o.next = int(e.schedule.Sequence.Count(uint8(flow), warmup) % uint64(len(o.seqs)))
	}
}

// drain is how long after the warm-up counters are read: what was under way has
// arrived then.
const drain = 10 * time.Millisecond

// warmUp sends the traffic that is not counted, and then is silent.
func (e *Source) warmUp(ctx context.Context, s traffic.Schedule, quiet func()) error {
	if s.Warmup == 0 {
		call(quiet)
		return nil
	}
	if err := e.send(ctx, e.makePlan(s, e.trial-1, s.Warmup, e.generator.clock.Now()+uint64(lead)), nil); err != nil {
		return err
	}
	end := time.Now().Add(s.Quiet)
	time.Sleep(min(drain, s.Quiet)) // no counter says that nothing is under way
	call(quiet)
	time.Sleep(time.Until(end))
	return nil
}

func call(mark func()) {
	if mark != nil {
		mark()
	}
}

// send carries a plan out and returns when everything was sent or no more is to be:
// what is late by a hundredth of the plan, and by 50 ms, is given up. It calls start
// when the first slot is due.
func (e *Source) send(ctx context.Context, p *plan, start func()) error {
	done := e.generator.start(p)
	now := func() time.Duration { return time.Duration(e.generator.clock.Now() - p.from) }
	if wait := -now(); wait > 0 {
		time.Sleep(wait)
	}
	call(start)
	for {
		end := p.end()
		patience := time.NewTimer(p.patience() + time.Duration(end-p.from) - now())
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
		case <-patience.C:
			if p.end() > end {
				continue
			}
		}
		patience.Stop()
		p.close()
		e.generator.stop()
		return errors.Join(<-done, ctx.Err())
	}
}

// Share implements traffic.Source: it gives the share of the sessions that this source sends to.
func (e *Source) Share() traffic.Share { return e.generator.share }

// intended is how many slots of a plan of the trial were the source's to send.
func (e *Source) intended(p *plan) uint64 {
	share := e.generator.share
	if !share.Several() {
		return p.total
	}
	var sessions []int
	for _, f := range e.flows {
		sessions = append(sessions, len(f.Streams))
	}
	return share.Slots(e.schedule.Sequence, sessions, e.schedule.Slots(e.schedule.Warmup), p.total)
}

// Sent implements traffic.Source: it counts the packets of the trial that were sent so far.
func (e *Source) Sent() uint64 { return e.generator.sent.Load() }

// Outcome implements traffic.Source: it gives what the source sent, and what it saw arrive.
func (e *Source) Outcome() (o traffic.Outcome, err error) {
	g, p := &e.generator, e.plan
	o.Sent, o.Intended = g.sent.Load(), e.intended(p)
	o.LateSlots, o.Stalls, o.Skipped, o.Lateness = g.late, g.stalls, g.skipped, g.lateness
	if o.Sent > 0 {
		o.Sending = traffic.Span{First: g.first, Last: g.last}
		o.SendSeconds = o.Sending.Seconds(o.Sent)
	}
	if p.max {
		o.Intended, o.BusyRatio, o.LateSlots, o.Lateness = o.Sent, 1, 0, traffic.Histogram{}
	} else if g.previous > g.first {
		o.BusyRatio = min(1, float64(g.busy)/float64(g.previous-g.first))
	}
	for _, out := range g.outputs {
		o.Flows = append(o.Flows, traffic.FlowOutcome{Sent: out.sent, SentBytes: out.bytes, SentBySession: out.seqs})
	}
	return o, nil
}

// Close implements traffic.Source: it frees what the source uses.
func (e *Source) Close() (err error) {
	for _, o := range e.generator.outputs {
		err = errors.Join(err, o.port.Close())
	}
	return err
}
