package vm

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/upflab/upflab/internal/machine/vm/inside"
)

// What a guest sends arrives the same, however it is cut.
func TestListen(t *testing.T) {
	const sent = "a line\n\x00{\"up\":{\"Kernel\":\"6.1\"}}\nhalf a \x00{\"alive\":true}\nline\n\x00not JSON\n\x00{\"status\":3}\nlast"
	for _, r := range []interface {
		Read([]byte) (int, error)
	}{strings.NewReader(sent), iotest.OneByteReader(strings.NewReader(sent)), iotest.HalfReader(strings.NewReader(sent))} {
		var text, events strings.Builder
		listen(r, &text, func(e sign) {
			switch {
			case e.Up != nil:
				fmt.Fprintf(&events, "up %s, ", e.Up.Kernel)
			case e.Alive:
				events.WriteString("alive, ")
			case e.Status != nil:
				fmt.Fprintf(&events, "status %d", *e.Status)
			}
		})
		if want := "a line\nhalf a line\nlast"; text.String() != want {
			t.Errorf("text %q, want %q", text.String(), want)
		}
		if want := "up 6.1, alive, status 3"; events.String() != want {
			t.Errorf("events %q, want %q", events.String(), want)
		}
	}
}

// FuzzListen: whatever a guest sends, listening ends with the line, and no event has more than it sent.
func FuzzListen(f *testing.F) {
	f.Add([]byte("text\x00{\"status\":0}\n"))
	f.Add([]byte("\x00"))
	f.Add([]byte(strings.Repeat("\x00x", longestEvent)))
	f.Fuzz(func(t *testing.T, sent []byte) {
		var text strings.Builder
		listen(strings.NewReader(string(sent)), &text, func(sign) {})
		if text.Len() > len(sent) || strings.ContainsRune(text.String(), inside.EventMark) {
			t.Errorf("text %q", text.String())
		}
	})
}

func TestConsole(t *testing.T) {
	var c console
	c.add("[ 1.0] first\r\n[ 2.0] sec")
	c.add("ond\n\x1b[0m\n")
	if got := strings.Join(c.end(5), "|"); got != "[ 1.0] first|[ 2.0] second|[0m" {
		t.Errorf("%q", got)
	}
	c.add("before\nKernel panic - not syncing: VFS\nafter 1\nafter 2\nafter 3\n")
	if got := strings.Join(c.end(5), "|"); got != "before|Kernel panic - not syncing: VFS|after 1|after 2|after 3" {
		t.Errorf("%q", got)
	}
	for i := range 2 * consoleKept {
		c.add(fmt.Sprintln("line", i))
	}
	if got := c.end(2); len(c.lines) > consoleKept || got[1] != fmt.Sprint("line ", 2*consoleKept-1) {
		t.Errorf("%d lines, the last ones %q", len(c.lines), got)
	}
}
