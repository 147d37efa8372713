package disturbance

import (
	"slices"
	"sort"
)

// span is the time [from, to), ns of CLOCK_MONOTONIC.
type span struct{ from, to uint64 }

// spans are sorted, and neither overlap nor adjoin: what lasts long and is asked about
// for each window must be found without looking at all of it.
type spans []span

// insert adds a time that is mostly later than all others.
func (l spans) insert(s span) spans {
	end := len(l)
	for end > 0 && l[end-1].from > s.to {
		end--
	}
	begin := end
	for begin > 0 && l[begin-1].to >= s.from {
		begin--
		s = span{min(s.from, l[begin].from), max(s.to, l[begin].to)}
	}
	return slices.Replace(l, begin, end, s)
}

// after is without what was over before t.
func (l spans) after(t uint64) spans {
	return l[sort.Search(len(l), func(i int) bool { return l[i].to >= t }):]
}

// touch reports whether one has a part of s.
func (l spans) touch(s span) bool {
	i := sort.Search(len(l), func(i int) bool { return l[i].to > s.from })
	return i < len(l) && l[i].from < s.to
}
