package exit

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// again is how long after a signal another is the same one: a program that asked to be told
// of the end of the one that started it is told once for each of its threads.
const again = 300 * time.Millisecond

// Ending are the signals that end a run in order. SIGHUP says that the terminal or the
// SSH session is gone; below nohup it is ignored, and stays so.
func Ending() []os.Signal {
	list := []os.Signal{unix.SIGINT, unix.SIGTERM}
	if !signal.Ignored(unix.SIGHUP) {
		list = append(list, unix.SIGHUP)
	}
	return list
}

// signalled is why a context ends with a signal. It is also context.Canceled.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return s.String() }

func (s signalled) Is(target error) bool { return target == context.Canceled }

// UntilSignal is a context that the first signal to end cancels. A second one, after a moment, ends
// the program at once.
func UntilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, Ending()...)
	var once sync.Once
	stop = func() { once.Do(func() { signal.Stop(heard); cancel(nil) }) }
	go func() {
		select {
		case s := <-heard:
			cancel(signalled{s})
			time.Sleep(again)
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// BySignal names the signal that ended a context: " by SIGTERM"; "" where none did, or there is no context.
func BySignal(ctx context.Context) string {
	var s signalled
	if ctx == nil || !errors.As(context.Cause(ctx), &s) {
		return ""
	}
	if number, ok := s.Signal.(unix.Signal); ok {
		return " by " + unix.SignalName(number)
	}
	return " by " + s.String()
}

// StatusOfSignal is the exit status of a program that a signal ended, as shells give it (128 and the
// signal's number: 130 for Ctrl-C); 0 when no signal has come.
func StatusOfSignal(ctx context.Context) int {
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		if number, ok := s.Signal.(unix.Signal); ok {
			return 128 + int(number)
		}
	}
	return 0
}

// Pipe is the status when the reader of the output has gone, as `head` does: that of a program
// that SIGPIPE ends. Nothing is said about it.
const Pipe = 128 + int(unix.SIGPIPE)
