package vm

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/upflab/upflab/internal/machine/vm/inside"
)

// longestEvent is more than an event has, octets; what is longer is none.
const longestEvent = 64 << 10

// sign is one of life: an event, or text, which is being written or has been.
type sign struct {
	inside.Event
	// writing: nothing more is heard until the text is written. That takes as long as its reader likes: a paused terminal
	// is no guest that hangs.
	writing bool
}

// listen takes apart what a guest sends: its text goes to text, each sign to each. It ends with the line.
func listen(from io.Reader, text io.Writer, each func(sign)) {
	r := bufio.NewReaderSize(from, longestEvent)
	for {
		b, err := r.Peek(1)
		if err != nil {
			return
		}
		if b[0] == inside.EventMark {
			_, _ = r.Discard(1)
			event, err := r.ReadSlice('\n')
			var e inside.Event
			if json.Unmarshal(event, &e) == nil {
				each(sign{Event: e})
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
			continue
		}
		b, _ = r.Peek(r.Buffered())
		n := 0
		for n < len(b) && b[n] != inside.EventMark {
			n++
		}
		each(sign{writing: true})
		_, _ = text.Write(b[:n]) // the run goes on where nobody reads
		each(sign{})
		_, _ = r.Discard(n)
	}
}
