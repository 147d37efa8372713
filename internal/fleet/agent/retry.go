package agent

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/wait"
)

// retry does something with the hub until it succeeds, is denied, or ctx ends: a hub that is
// away comes back.
func retry(ctx context.Context, do func(context.Context) error) error {
	return retryNoting(ctx, do, func(error) {})
}

// retryNoting is retry that gives each failure to note.
func retryNoting(ctx context.Context, do func(context.Context) error, note func(error)) error {
	for {
		limited, stop := context.WithTimeout(ctx, fleet.Each)
		err := do(limited)
		stop()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var denied fleet.DeniedError
		if errors.As(err, &denied) {
			return err
		}
		note(err)
		if err := wait.Pause(ctx, fleet.Pause); err != nil {
			return err
		}
	}
}
