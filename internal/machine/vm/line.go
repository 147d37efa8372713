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

// listen takes apart what a guest sends: its text goes to text, each event to each. It ends with the line.
func listen(from io.Reader, text io.Writer, each func(inside.Event)) {
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
				each(e)
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
		_, _ = text.Write(b[:n]) // the run goes on where nobody reads
		_, _ = r.Discard(n)
	}
}
