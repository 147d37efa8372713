package receive

import (
	"cmp"
	"slices"

	"github.com/upflab/upflab/internal/traffic"
)

// runs counts runs of lost packets by their length.
type runs struct {
	short [1024]uint64
	long  map[uint64]uint64 // the others, which are rare
}

// end counts a run, unless it is none, and begins another.
func (r *runs) end(length *uint64) {
	switch n := *length; {
	case n == 0:
		return
	case n < uint64(len(r.short)):
		r.short[n]++
	default:
		if r.long == nil {
			r.long = map[uint64]uint64{}
		}
		r.long[n]++
	}
	*length = 0
}

// list is ascending by length.
func (r *runs) list() (list []traffic.LossRun) {
	for length, n := range r.short {
		if n > 0 {
			list = append(list, traffic.LossRun{Length: uint64(length), Count: n})
		}
	}
	for length, n := range r.long {
		list = append(list, traffic.LossRun{Length: length, Count: n})
	}
	slices.SortFunc(list, func(a, b traffic.LossRun) int { return cmp.Compare(a.Length, b.Length) })
	return list
}
