package agent

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/fleet"
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
		if err := sleep(ctx, fleet.Pause); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// freeBytes is the room on a folder's disk; -1: not known.
func freeBytes(dir string) int64 {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return -1
	}
	return int64(fs.Bavail) * int64(fs.Bsize)
}
