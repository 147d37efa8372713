package vm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/vm/inside"
)

// A guest that fails in one way or the other ends the wait, with what its console showed.
func TestFollow(t *testing.T) {
	const short, never = 20 * time.Millisecond, time.Hour
	three := 3
	up := inside.Event{Up: &inside.Up{Kernel: "6.1"}}
	for name, c := range map[string]struct {
		limit  times
		events []inside.Event
		gone   bool
		stop   bool // somebody asks it to end, once the events were heard
		status int
		says   string // of the error; "": none
		asked  bool   // it was asked to end
	}{
		"ends":                   {times{never, never, never}, []inside.Event{{Alive: true}, up, {Status: &three}}, false, false, 3, "", false},
		"cannot run the command": {times{never, never, never}, []inside.Event{{Failed: "no sh"}}, false, false, 0, "in the guest: no sh", false},
		"is gone":                {times{never, never, never}, []inside.Event{up}, true, false, 0, errGone.Error(), false},
		"does not boot":          {times{short, never, never}, []inside.Event{{Alive: true}}, false, false, 0, "did not start within 20ms; 0 MiB of memory are too little: raise vm.memory; its console last showed:\n  Out of memory", false},
		"hangs":                  {times{never, short, never}, []inside.Event{up}, false, false, 0, "hangs: it reported nothing for 20ms", false},
		"is stopped in its boot": {times{never, never, never}, []inside.Event{{Alive: true}}, false, true, 0, context.Canceled.Error(), false},
		"does not end":           {times{never, never, short}, []inside.Event{up}, false, true, 0, "did not end within 20ms", true},
	} {
		t.Run(name, func(t *testing.T) {
			g := &guest{limit: c.limit, command: Command{Up: func(inside.Up) {}}}
			g.console.add("Out of memory\n")
			ctx, stop := context.WithCancel(t.Context())
			signs, gone, in := make(chan sign), make(chan struct{}), &bytes.Buffer{}
			go func() {
				for _, e := range c.events {
					signs <- sign{Event: e}
				}
				if c.gone {
					close(gone)
				}
				if c.stop {
					stop()
				}
			}()
			defer stop()
			status, err := g.follow(ctx, signs, gone, in)
			if status != c.status || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%d, %v; want %d, %q", status, err, c.status, c.says)
			}
			if c.stop && !errors.Is(err, context.Canceled) {
				t.Errorf("%v is no interruption", err)
			}
			if c.asked != (in.String() == "\x03") {
				t.Errorf("it got %q", in)
			}
		})
	}
}

// A guest whose text nobody takes, as in a paused terminal, does not hang. It may once the text is taken.
func TestPausedTerminal(t *testing.T) {
	const silence = 100 * time.Millisecond
	for hangs, says := range map[bool]string{false: "", true: "hangs"} {
		reading, writing := io.Pipe()
		line, sent := io.Pipe()
		signs, gone := make(chan sign), make(chan struct{})
		go func() {
			defer close(gone)
			listen(line, writing, func(s sign) { signs <- s })
		}()
		go func() {
			io.WriteString(sent, "\x00{\"up\":{\"Kernel\":\"6.1\"}}\ntext")
			if !hangs {
				io.WriteString(sent, "\x00{\"status\":3}\n")
			}
		}()
		time.AfterFunc(5*silence, func() { io.CopyN(io.Discard, reading, 4) })
		g := &guest{limit: times{time.Hour, silence, time.Hour}, command: Command{Up: func(inside.Up) {}}}
		begun := time.Now()
		status, err := g.follow(t.Context(), signs, gone, io.Discard)
		if hangs != (err != nil) || err != nil && !strings.Contains(err.Error(), says) || err == nil && status != 3 {
			t.Errorf("hangs %v: %d, %v", hangs, status, err)
		}
		if took := time.Since(begun); took < 5*silence {
			t.Errorf("hangs %v: it ended after %v, while its text waited", hangs, took)
		}
		sent.Close()
	}
}
