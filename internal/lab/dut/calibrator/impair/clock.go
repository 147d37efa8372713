package impair

import (
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
)

// real gives CLOCK_MONOTONIC now, ns, and how far CLOCK_REALTIME is from it.
func real(c threads.Clock) (now uint64, ahead int64) {
	t := time.Now()
	now = c.At(t)
	return now, t.UnixNano() - int64(now)
}
