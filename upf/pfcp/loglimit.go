package pfcp

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Peers decide how often most lines are logged, and must not fill the log. Of each kind, which is a
// line's message, ten come at once and then one a second. The next line of its kind says how many were
// left out. Lines at debug level have no limit.
const (
	linesAtOnce = 10
	lineEvery   = time.Second
)

// limitedLog passes lines on to a handler, within the limit.
type limitedLog struct {
	slog.Handler
	shared *lineKinds // by all loggers made from one
}

func limitLog(to *slog.Logger) *slog.Logger {
	return slog.New(limitedLog{to.Handler(), &lineKinds{of: map[string]*lineKind{}}})
}

type lineKinds struct {
	mu sync.Mutex
	of map[string]*lineKind // by message: there are as many as calls in the program
}

// lineKind are the lines with one message.
type lineKind struct {
	free  time.Time // of the next line, had nothing been saved up
	muted int
}

// allow reports whether to log now, and how many were not logged since the last.
func (k *lineKind) allow(now time.Time) (ok bool, muted int) {
	if earliest := now.Add(-(linesAtOnce - 1) * lineEvery); k.free.Before(earliest) {
		k.free = earliest
	}
	if k.free.After(now) {
		k.muted++
		return false, 0
	}
	k.free = k.free.Add(lineEvery)
	muted, k.muted = k.muted, 0
	return true, muted
}

// Handle is slog.Handler's.
func (l limitedLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelInfo {
		return l.Handler.Handle(ctx, r)
	}
	l.shared.mu.Lock()
	k := l.shared.of[r.Message]
	if k == nil {
		k = &lineKind{}
		l.shared.of[r.Message] = k
	}
	ok, muted := k.allow(r.Time)
	l.shared.mu.Unlock()
	if !ok {
		return nil
	}
	if muted > 0 {
		r.AddAttrs(slog.Int("not_logged_before", muted))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs is slog.Handler's.
func (l limitedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return limitedLog{l.Handler.WithAttrs(attrs), l.shared}
}

// WithGroup is slog.Handler's.
func (l limitedLog) WithGroup(name string) slog.Handler {
	return limitedLog{l.Handler.WithGroup(name), l.shared}
}
