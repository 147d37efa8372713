package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/text/wait"
)

// Each is how long one question to the hub may take.
const Each = 5 * time.Second

// Pause is how long to wait before the hub is asked again.
const Pause = 500 * time.Millisecond

// ErrBroken is a connection to the hub that was lost. What was asked over it is never
// answered, and has to be asked again.
var ErrBroken = errors.New("the connection to the hub was lost")

// line is a connection to a hub, which may be lost and come back.
type line struct{ NATS *nats.Conn }

// Close ends the connection.
func (c line) Close() { c.NATS.Close() }

// unbroken is a context that ends when the connection is lost, with ErrBroken as the cause.
func (c line) unbroken(ctx context.Context) (context.Context, func()) {
	lost := c.NATS.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-lost:
			cancel(ErrBroken)
		case <-ctx.Done():
		}
		c.NATS.RemoveStatusListener(lost)
	}()
	return ctx, func() { cancel(nil) }
}

// Try does something with the hub once, within a time, and for as long as the connection
// stays what it was. Its error says which of them ended it.
func (c line) Try(ctx context.Context, within time.Duration, do func(context.Context) error) error {
	limited, stop := context.WithTimeout(ctx, within)
	defer stop()
	whole, end := c.unbroken(limited)
	defer end()
	err := do(whole)
	if err != nil && whole.Err() != nil {
		return errors.Join(context.Cause(whole), err)
	}
	return err
}

// Persist is Try again and again, while the hub is away or does not answer: one that was
// restarted comes back. What it answers, also that it refuses, is the end.
func (c line) Persist(ctx context.Context, within time.Duration, do func(context.Context) error) error {
	for {
		err := c.Try(ctx, within, do)
		if err == nil || !away(err) {
			return err
		}
		if wait.Pause(ctx, Pause) != nil {
			return err
		}
	}
}

// Ask asks the hub one thing until it answers or ctx ends. A question to a stream of a
// cluster that has no leader is never answered, also not when it has one again: each is asked
// again after Each.
func Ask[T any](ctx context.Context, question func(context.Context) (T, error)) (answer T, err error) {
	for {
		limited, stop := context.WithTimeout(ctx, Each)
		answer, err = question(limited)
		stop()
		if err == nil || !away(err) || ctx.Err() != nil {
			return answer, err
		}
		if wait.Pause(ctx, Pause) != nil {
			return answer, err
		}
	}
}

// away reports whether an error means that the hub could not be asked, or did not answer.
func away(err error) bool {
	for _, e := range []error{ErrBroken, context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
