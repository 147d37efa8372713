package n3

import (
	"net/netip"
	"time"
)

// Bounds of Error Indications in a second: a flood of G-PDUs must not make a flood
// of answers, nor use up those of other gNBs.
const (
	indicationsPerSource = 100
	indicationsOfAll     = 1000
)

// quota counts what was sent in a second, to whom.
type quota struct {
	second int64
	all    int
	used   map[netip.Addr]int
}

// take reports whether one more may be sent to the source. It remembers as many
// sources as there are answers in a second.
func (q *quota) take(source netip.Addr, now time.Time) bool {
	if second := now.Unix(); second != q.second || q.used == nil {
		q.second, q.all, q.used = second, 0, map[netip.Addr]int{}
	}
	if q.all >= indicationsOfAll || q.used[source] >= indicationsPerSource {
		return false
	}
	q.all++
	q.used[source]++
	return true
}
