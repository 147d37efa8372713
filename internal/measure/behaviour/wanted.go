package behaviour

import (
	"fmt"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// wanted is what packets are, and what is to become of them, by the numbers of their marks: it is written beside
// them in a capture.
type wanted map[uint64]string

// most is how many packets of an attempt have a comment: as many as a capture has.
const most = 4000

func (w *wanted) note(number uint64, text string, wants []Want) {
	if *w == nil {
		*w = wanted{}
	}
	if len(*w) < most {
		(*w)[number] = text + ": " + becomes(wants)
	}
}

// of is the comment of a frame that was sent: "an uplink packet to port 80: goes nowhere (mark 0123...)". The mark is in the
// frame, and in all that becomes of it. "": it is none of the packets.
func (w wanted) of(frame []byte, run uint64) string {
	m, ok := packet.FindMark(frame, run)
	if text := w[m.Number]; ok && text != "" {
		return fmt.Sprintf("%s (mark %016x%016x)", text, m.Run, m.Number)
	}
	return ""
}
