package association

import (
	"time"
)

// NoticesPerSecond bounds the answers for a session, so that a UE cannot make the UPF work
// for it alone (RFC 4443 clause 2.4 f).
const NoticesPerSecond = 10

// noticeBudget is what of it a session has used in a second. Its lock guards it.
type noticeBudget struct {
	second int64
	used   int
}

func (b *noticeBudget) Take(now time.Time) bool {
	if second := now.Unix(); second != b.second {
		*b = noticeBudget{second: second}
	}
	b.used++
	return b.used <= NoticesPerSecond
}
