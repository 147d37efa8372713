// Package loglimit bounds how many lines of each kind are logged: peers decide how often most lines
// come, and must not fill a log. Of each kind ten come at once and then one a second. The next line
// of its kind says how many were left out.
package loglimit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	linesAtOnce = 10
	lineEvery   = time.Second
)

// Kinds are kinds of lines, of which there must be a bounded number.
type Kinds struct {
	mu sync.Mutex
	of map[string]*lineKind
}

// allow reports whether to log a line of a kind now, and how many were not logged since the last.
func (k *Kinds) allow(kind string, now time.Time) (ok bool, muted int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[string]*lineKind{}
	}
	if k.of[kind] == nil {
		k.of[kind] = &lineKind{}
	}
	return k.of[kind].allow(now)
}

// Say passes a line of a kind on to a function, within the limit.
func (k *Kinds) Say(to func(string), kind, text string) {
	ok, muted := k.allow(kind, time.Now())
	if !ok {
		return
	}
	if muted > 0 {
		text += fmt.Sprintf(" (%d more of these were left out before)", muted)
	}
	to(text)
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

// handler passes lines on to a log within the limit. Their kind is the message, of which there are as
// many as calls in the program. Lines at debug level have no limit.
type handler struct {
	slog.Handler
	shared *Kinds // by all loggers made from one
}

// Log is a log within the limit.
func Log(to *slog.Logger) *slog.Logger { return slog.New(handler{to.Handler(), &Kinds{}}) }

// Handle implements slog.Handler: it passes the record on unless its message is over the limit.
func (l handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelInfo {
		return l.Handler.Handle(ctx, r)
	}
	ok, muted := l.shared.allow(r.Message, r.Time)
	if !ok {
		return nil
	}
	if muted > 0 {
		r.AddAttrs(slog.Int("not_logged_before", muted))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler: the new handler shares the limits of this one.
func (l handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{l.Handler.WithAttrs(attrs), l.shared}
}

// WithGroup implements slog.Handler: the new handler shares the limits of this one.
func (l handler) WithGroup(name string) slog.Handler {
	return handler{l.Handler.WithGroup(name), l.shared}
}
