package n4load

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/traffic"
)

// retransmission is how requests are repeated that were not answered (TS 29.244 clause 6.4).
var retransmission = pfcp.Retransmission{T1: 500 * time.Millisecond, Tries: 10}

// Driven is the result of a closed loop.
type Driven struct {
	Done    int
	Seconds float64
	Latency traffic.Histogram
	Repeats uint64 // messages that were sent again because no answer came
}

// PerS is the rate, procedures per second.
func (d *Driven) PerS() float64 {
	if d.Seconds == 0 {
		return 0
	}
	return float64(d.Done) / d.Seconds
}

// Drive does a procedure on n sessions, at most window of them at once, each as soon as there is room. It
// ends with *Refusal at the first session that is refused, with *Silence when the UPF does not answer,
// and without an error when no session is left.
func (l *Load) Drive(ctx context.Context, p Procedure, n, window int) (*Driven, error) {
	out := newOutcome(0)
	l.mu.Lock()
	l.tally = out
	refused := l.refused
	l.mu.Unlock()
	began := time.Now()
	repeats, err := l.drive(ctx, p, n, window, refused)
	l.mu.Lock()
	l.tally = nil
	l.mu.Unlock()
	return &Driven{Done: int(out.Done), Seconds: time.Since(began).Seconds(), Latency: out.Latency, Repeats: repeats}, err
}

func (l *Load) drive(ctx context.Context, p Procedure, n, window int, refused uint64) (repeats uint64, err error) {
	w := l.client.NewWriter()
	tick := time.NewTicker(retransmission.T1 / 5)
	defer tick.Stop()
	for {
		l.mu.Lock()
		under, now, cause := l.pending, l.refused, l.cause
		l.mu.Unlock()
		if now > refused && err == nil {
			n, err = 0, &Refusal{Procedure: p, Cause: cause}
		}
		for ; n > 0 && under < window; under++ {
			failed := l.start(w, p, l.now(), true)
			if errors.Is(failed, errNone) {
				n = 0
				break
			}
			if failed != nil {
				return repeats, failed
			}
			n--
		}
		if n == 0 && under == 0 {
			return repeats, err
		}
		select {
		case <-l.changed:
		case <-tick.C:
			again, silent := l.again(p)
			repeats += again
			if silent != nil {
				return repeats, errors.Join(err, silent)
			}
		case <-ctx.Done():
			return repeats, ctx.Err()
		}
	}
}

// again transmits again what was not answered within T1. Tasks that were sent N1 times are given up; they
// are an error. Tasks whose packet the UPF did not report for T1 are given up without one.
func (l *Load) again(p Procedure) (repeats uint64, err error) {
	l.mu.Lock()
	for seid, t := range l.bySEID {
		if l.now()-t.last >= int64(retransmission.T1) {
			delete(l.bySEID, seid)
			l.end(t, idle)
		}
	}
	l.mu.Unlock()
	repeated, lost, err := l.client.Repeat()
	if err == nil && lost > 0 {
		err = &Silence{Procedure: p, Waited: time.Duration(retransmission.Tries) * retransmission.T1}
	}
	return uint64(repeated), err
}

// resolve repeats what an offer left unanswered until it is answered or given up.
func (l *Load) resolve(ctx context.Context) error {
	for {
		l.mu.Lock()
		n := l.pending
		l.mu.Unlock()
		if n == 0 {
			return nil
		}
		if _, err := l.again("answer"); err != nil {
			return err
		}
		l.settle(ctx, retransmission.T1/2)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Ready brings all sessions into the state in which a procedure begins, by a closed loop.
func (l *Load) Ready(ctx context.Context, p Procedure, window int) error {
	switch kinds[p].from {
	case gone:
		return l.each(ctx, window, Active, Delete)
	case idle:
		return l.each(ctx, window, Establish, Idle)
	}
	return l.each(ctx, window, Active, Establish)
}

// Half establishes half of the sessions and deletes the others, with which a mix begins.
func (l *Load) Half(ctx context.Context, window int) error {
	if err := l.each(ctx, window, Active); err != nil {
		return err
	}
	half, have := len(l.pool.members)/2, l.Established()
	var err error
	if have < half {
		_, err = l.Drive(ctx, Establish, half-have, window)
	} else {
		_, err = l.Drive(ctx, Delete, have-half, window)
	}
	return err
}

// each does procedures one after the other, each on all sessions that are in its first state.
func (l *Load) each(ctx context.Context, window int, list ...Procedure) error {
	for _, p := range list {
		if _, err := l.Drive(ctx, p, len(l.pool.members), window); err != nil {
			return err
		}
	}
	return nil
}
