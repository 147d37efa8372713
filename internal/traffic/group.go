package traffic

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
)

// Group is an Engine made of sources and sinks. What they report is merged.
type Group struct {
	Sources []Source
	// Sinks are those of the flows, by their index; nil where a source itself knows
	// what arrived.
	Sinks  []Sink
	Settle time.Duration // wait for stragglers after the last packet
	trial  uint16
}

var _ Engine = (*Group)(nil)

// Run implements Engine: it sends by the schedule and returns when the last frame had time to arrive.
func (g *Group) Run(ctx context.Context, s Schedule, m Marks) (Outcome, error) {
	v, err := g.watch(s)
	if err != nil {
		return Outcome{}, err
	}
	if err := g.prepare(s); err != nil {
		return Outcome{}, err
	}
	var began error
	quiet := func() {
		began = g.begin()
		call(m.Quiet)
	}
	stopped := g.sendWatched(ctx, v, Marks{Quiet: quiet, Start: m.Start})
	sent := threads.Monotonic()
	call(m.End)
	time.Sleep(g.Settle)
	o, err := g.finish(v, sent)
	return o, errors.Join(stopped, began, err)
}

// sendWatched sends, and decides on windows if there is something to decide.
func (g *Group) sendWatched(ctx context.Context, v *verdicts, m Marks) error {
	if v == nil {
		return g.send(ctx, m)
	}
	start := m.Start
	m.Start = func() {
		v.start()
		call(start)
	}
	err := g.send(ctx, m)
	v.stop()
	return errors.Join(err, v.err)
}

// finish gives the trial's outcome. Sending has ended at a time.
func (g *Group) finish(v *verdicts, sent uint64) (Outcome, error) {
	if v == nil {
		return g.outcome()
	}
	v.finish(sent)
	o, err := g.outcome()
	if err != nil {
		return o, err
	}
	kept, excluded, err := g.counted(v, len(o.Flows))
	if !v.void(&o) {
		v.keep(&o, &kept, &excluded)
		return o, err
	}
	kept.Merge(&excluded)
	o.measure(&kept)
	return o, err
}

// prepare makes everything ready for the next trial. Trials have even numbers, from
// 2 on.
func (g *Group) prepare(s Schedule) error {
	if g.trial += 2; g.trial == 0 {
		g.trial = 2
	}
	for _, source := range g.Sources {
		if err := source.Prepare(s, g.trial); err != nil {
			return err
		}
	}
	return g.begin()
}

func (g *Group) begin() error {
	for _, sink := range g.sinks() {
		if err := sink.Begin(g.trial); err != nil {
			return err
		}
	}
	return nil
}

// send lets all sources send. Quiet is called once all have sent their warm-up, Start
// when the first of them is about to begin. When one fails the others are stopped.
func (g *Group) send(ctx context.Context, m Marks) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	quiet := newMeeting(len(g.Sources), m.Quiet)
	begin := newAgreement(g.Sources)
	start := sync.OnceFunc(func() { call(m.Start) })
	errs := make([]error, len(g.Sources))
	var sending sync.WaitGroup
	for i, source := range g.Sources {
		member := quiet.join()
		agree, leave := begin.join(source)
		sending.Go(func() {
			defer member.leave()
			defer leave()
			errs[i] = source.Send(running, Marks{Quiet: member.arrive, Start: start, Agree: agree})
			if errs[i] != nil {
				stop()
			}
		})
	}
	sending.Wait()
	return causes(ctx, errs)
}

// causes joins errors, but for those of sources that were stopped because another one
// failed.
func causes(ctx context.Context, errs []error) error {
	var own []error
	for _, err := range errs {
		if ctx.Err() != nil || !errors.Is(err, context.Canceled) {
			own = append(own, err)
		}
	}
	return errors.Join(own...)
}

func (g *Group) outcome() (Outcome, error) {
	o := Outcome{Flows: make([]FlowOutcome, len(g.Sinks))}
	for _, source := range g.Sources {
		part, err := source.Outcome()
		if err != nil {
			return o, err
		}
		o.Merge(&part)
	}
	for flow, sink := range g.Sinks {
		if sink == nil {
			continue
		}
		part, err := sink.Outcome(o.Flows[flow].SentBySession)
		if err != nil {
			return o, err
		}
		o.Flows[flow].Merge(&part)
	}
	return o, nil
}

// sinks are those that there are.
func (g *Group) sinks() (list []Sink) {
	for _, sink := range g.Sinks {
		if sink != nil {
			list = append(list, sink)
		}
	}
	return list
}

// Live implements Engine: it adds up how far the flows of the running trial are. Packets of a flow
// without a sink are not among those received.
func (g *Group) Live() (sent, received uint64) {
	for _, source := range g.Sources {
		sent += source.Sent()
	}
	for _, sink := range g.sinks() {
		received += sink.Received()
	}
	return sent, received
}

// LiveLatency implements Engine: it adds the latencies of all flows so far to the counts of h.
func (g *Group) LiveLatency(h *Histogram) error {
	for _, sink := range g.sinks() {
		if err := sink.AddLatency(h); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Engine: it closes all sources and sinks.
func (g *Group) Close() error {
	var errs []error
	for _, source := range g.Sources {
		errs = append(errs, source.Close())
	}
	for _, sink := range g.sinks() {
		errs = append(errs, sink.Close())
	}
	return errors.Join(errs...)
}
