package trex

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/internal/traffic"
)

// trialRun is a trial under way.
type trialRun struct {
	engine   *Engine
	plan     *plan
	schedule traffic.Schedule
	before   reading

	began   time.Time
	seconds float64 // that sending took
	busy    mean    // of the cores that send, 0..1
	listens mean    // of the core that receives
}

// mean of readings.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m *mean) value() float64 { return m.sum / float64(max(m.n, 1)) }

// most is how long a trial may take.
func (t *trialRun) most() time.Duration {
	return t.schedule.Duration + max(t.schedule.Duration/50, allowed)
}

// asked is for how long TRex is asked to send: longer than the trial where something else ends
// it. At max that is upflab, in time, for TRex's own clock goes slow when it cannot send as fast
// as it should.
func (t *trialRun) asked() time.Duration {
	if t.schedule.Max() || t.plan.counted {
		return t.most() + time.Second
	}
	return t.schedule.Duration
}

// send sends the trial's packets, and follows it until all are sent.
func (t *trialRun) send(ctx context.Context, m traffic.Marks) error {
	mark(m.Start)
	asking := time.Now()
	if err := t.engine.start(t.plan, t.asked()); err != nil {
		return err
	}
	t.began = time.Now()
	err := t.follow(ctx)
	if t.schedule.Max() || err != nil {
		// Between its two answers TRex sent for this time.
		t.seconds = (time.Since(t.began) + time.Since(asking)).Seconds() / 2
	}
	mark(m.End)
	return err
}

// follow looks at the trial until its time is over, then until it has ended, or ends it.
func (t *trialRun) follow(ctx context.Context) error {
	end := t.began.Add(t.schedule.Duration)
	for left := time.Until(end); left > 0; left = time.Until(end) {
		if err := wait.Pause(ctx, min(left, lookEvery)); err != nil {
			return errors.Join(err, t.engine.clear())
		}
		if left > lookEvery {
			if err := t.look(); err != nil {
				return err
			}
		}
	}
	if t.schedule.Max() {
		return t.engine.halt(t.plan)
	}
	return t.untilSent()
}

// untilSent waits until TRex has gone through its schedule. How long that took is known to a
// look: it is at least the time at which it still sent.
func (t *trialRun) untilSent() error {
	t.seconds = t.schedule.Duration.Seconds()
	for {
		at := time.Since(t.began)
		sending, err := t.engine.sending(t.plan)
		if err != nil || !sending {
			return err
		}
		t.seconds = max(t.seconds, at.Seconds())
		if at > t.most() {
			return t.engine.halt(t.plan)
		}
		time.Sleep(lookEnd)
	}
}

// look reads what is shown of a running trial.
func (t *trialRun) look() error {
	now, err := t.engine.read(t.plan)
	if err != nil {
		return err
	}
	t.busy.add(now.server.CPU / 100)
	t.listens.add(now.server.ReceiveCPU / 100)
	flows, err := t.flows(now)
	if err != nil {
		return err
	}
	var sent, received uint64
	var delays traffic.Histogram
	for _, f := range flows {
		sent += f.Sent
		received += f.Received
		delays.AddCounts(&f.Latency)
	}
	t.engine.show(sent, received, delays)
	return nil
}

// show is what Live and LiveLatency give.
func (e *Engine) show(sent, received uint64, delays traffic.Histogram) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent, e.received, e.delays = sent, received, delays
}
