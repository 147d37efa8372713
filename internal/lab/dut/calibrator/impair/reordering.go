package impair

import (
	"cmp"
	"math"
	"slices"
)

// stream is what is remembered of one stream's packets that left.
type stream struct {
	trial   uint16
	started bool
	next    uint64 // NextExp of RFC 4737 clause 3.3
	transits,
	jitters [2]float64
}

// reordered reports whether a packet comes after one that was sent later.
func (s *stream) reordered(sequence uint64) bool {
	if sequence < s.next {
		return true
	}
	s.next = sequence + 1
	return false
}

// transit books the jitter of RFC 3550 clause 6.4.1 by two measures of a
// packet's transit time, ns: J += (|D| - J) / 16.
func (s *stream) transit(a *account, measures ...uint64) {
	for i, m := range measures {
		t := float64(m)
		if s.started {
			s.jitters[i] += (math.Abs(t-s.transits[i]) - s.jitters[i]) / 16
			a.jitter[i].sum += s.jitters[i]
			a.jitter[i].count++
		}
		s.transits[i] = t
	}
	s.started = true
}

func sortByBegun(all []*account) {
	slices.SortFunc(all, func(a, b *account) int { return cmp.Compare(a.begun, b.begun) })
}
