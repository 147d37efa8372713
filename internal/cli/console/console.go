// Package console writes what commands print: lists as tables or JSON, and text as wide as the terminal.
package console

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/text"
	"github.com/upflab/upflab/internal/text/wrap"
)

// Stream is where a command prints. It remembers that its reader has gone.
type Stream struct {
	io.Writer
	Gone atomic.Bool
}

// Write passes the bytes on.
func (s *Stream) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if errors.Is(err, unix.EPIPE) {
		s.Gone.Store(true)
	}
	return n, err
}

// OutlivePipes makes a write into a pipe without a reader an error: `upflab run | head` must not
// kill a run half way.
func OutlivePipes() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

// File is the file that a command prints to; nil when it is something else.
func File(w io.Writer) *os.File {
	if s, ok := w.(*Stream); ok {
		w = s.Writer
	}
	f, _ := w.(*os.File)
	return f
}

// The narrowest and the widest lines that are printed, in characters.
const (
	narrowest = 40
	widest    = text.Width
)

// Document writes a document as wide as the terminal is.
func Document(w io.Writer, d block.Document) error { return text.WriteWide(w, d, Columns(w)) }

// Columns is how wide lines may be: the terminal's width, from 40 to 100; 100 where the output is
// no terminal.
func Columns(w io.Writer) int {
	if width := Terminal(w); width > 0 {
		return min(width, widest)
	}
	return widest
}

// Terminal is the width of the terminal that the output goes to, 40 or more; 0 when it is none.
func Terminal(w io.Writer) int {
	if f := File(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return max(width, narrowest)
		}
	}
	return 0
}

// Fitted breaks the lines of a text that are wider than a terminal. What goes on keeps the line's
// indent.
func Fitted(text string, width int) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if utf8.RuneCountInString(line) <= width {
			lines = append(lines, line)
			continue
		}
		for _, part := range wrap.Lines(strings.TrimSpace(line), width-len(indent)) {
			lines = append(lines, indent+part)
		}
	}
	return strings.Join(lines, "\n")
}
