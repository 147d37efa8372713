package hosts

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// running is a source of this host, whose marks the leader waits for.
type running struct {
	source traffic.Source

	mu     sync.Mutex
	now    progress
	moved  chan struct{} // closed when now has changed
	goOn   chan uint64
	cancel context.CancelFunc // nil: it does not send
	over   sync.WaitGroup
}

func newRunning(s traffic.Source) *running {
	return &running{source: s, moved: make(chan struct{}), now: progress{Phase: ended}}
}

// lead is how long before it begins hosts agree on a time: their answers need to get
// there, also where CPUs are busy: 150 ms were 0.08 to 0.22 s too few beside other tests.
const lead = 800 * time.Millisecond

// send begins to send.
func (r *running) send(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil {
		return errors.New("it sends already")
	}
	ctx, r.cancel = context.WithCancel(ctx)
	r.goOn = make(chan uint64)
	r.set(progress{Phase: warming})
	r.over.Go(func() {
		err := r.source.Send(ctx, traffic.Marks{
			Quiet: func() { r.hold(ctx, progress{Phase: quiet}) },
			Agree: func(first uint64) uint64 {
				return r.hold(ctx, progress{Phase: agreeing, First: first + uint64(lead)})
			},
			Start: func() { r.come(progress{Phase: sending}) },
		})
		last := progress{Phase: ended}
		if err != nil && ctx.Err() == nil {
			last.Failed = err.Error()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.cancel()
		r.cancel = nil
		r.set(last)
	})
	return nil
}

// never is a time that does not come.
const never = uint64(1) << 62

// hold comes to a phase, and waits until the leader lets it go on.
func (r *running) hold(ctx context.Context, p progress) (at uint64) {
	r.come(p)
	select {
	case at = <-r.goOn:
		return at
	case <-ctx.Done():
		return never
	}
}

func (r *running) come(p progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(p)
}

// set changes the progress, under the lock.
func (r *running) set(p progress) {
	r.now = p
	close(r.moved)
	r.moved = make(chan struct{})
}

// answerWithin is how long a question for progress stays.
const answerWithin = 500 * time.Millisecond

// wait gives the progress when it is beyond a phase, or after a while as it is.
func (r *running) wait(after phase) progress {
	limit := time.After(answerWithin)
	for {
		r.mu.Lock()
		now, moved := r.now, r.moved
		r.mu.Unlock()
		if now.Phase > after {
			return now
		}
		select {
		case <-moved:
		case <-limit:
			return now
		}
	}
}

// start lets it go on.
func (r *running) start(at uint64) error {
	r.mu.Lock()
	goOn := r.goOn
	r.mu.Unlock()
	select {
	case goOn <- at:
		return nil
	case <-time.After(answerWithin):
		return errors.New("it does not wait to go on")
	}
}

// stop ends the sending, and waits for that.
func (r *running) stop() {
	r.mu.Lock()
	if r.cancel != nil {
		r.cancel()
	}
	r.mu.Unlock()
	r.over.Wait()
}
