package cli

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/text"
)

// exitPipe is the status when the reader of the output has gone, as `head` does: that of a program
// that SIGPIPE ends. Nothing is said about it.
const exitPipe = 128 + int(unix.SIGPIPE)

// stream is where a command prints. It remembers that its reader has gone.
type stream struct {
	io.Writer
	gone atomic.Bool
}

func (s *stream) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if errors.Is(err, unix.EPIPE) {
		s.gone.Store(true)
	}
	return n, err
}

// outlivePipes makes a write into a pipe without a reader an error: `upflab run | head` must not
// kill a run half way.
func outlivePipes() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

// file is the file that a command prints to; nil when it is something else.
func file(w io.Writer) *os.File {
	if s, ok := w.(*stream); ok {
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

// printed writes a document as wide as the terminal is.
func printed(w io.Writer, d block.Document) error { return text.WriteWide(w, d, columns(w)) }

// columns is how wide lines may be: the terminal's width, from 40 to 100; 100 where the output is
// no terminal.
func columns(w io.Writer) int {
	if width := terminal(w); width > 0 {
		return min(width, widest)
	}
	return widest
}

// terminal is the width of the terminal that the output goes to, 40 or more; 0 when it is none.
func terminal(w io.Writer) int {
	if f := file(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return max(width, narrowest)
		}
	}
	return 0
}
