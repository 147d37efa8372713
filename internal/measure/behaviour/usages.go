package behaviour

import (
	"cmp"
	"slices"

	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Usages are the reports of a UE's URR so far, in the order of their UR-SEQN. Where one is missing between others, it may have
// been lost on N4, and comes again: it is waited for. What is still missing then is held against the UPF when it is repeated.
func (t *control) Usages(u *UE, urr uint32) (list []n4.Usage) {
	s := t.sessions[u]
	all := func(reports []n4.Report) (list []n4.Usage) {
		for _, r := range reports {
			list = append(list, r.Usage...)
		}
		list = UsagesOf(append(list, s.Answered...), urr)
		slices.SortStableFunc(list, func(a, b n4.Usage) int { return cmp.Compare(a.Sequence, b.Sequence) })
		return list
	}
	return all(t.peer.Await(t.Ctx, s.Ours, LongAfter, func(l []n4.Report) bool { return !Gap(all(l)) }))
}

// Gap reports whether a UR-SEQN is missing between those of reports in order.
func Gap(list []n4.Usage) bool {
	next := uint32(0)
	for _, u := range list {
		if u.Sequence > next {
			return true
		}
		next = u.Sequence + 1
	}
	return false
}

// UsagesOf are those of a URR.
func UsagesOf(list []n4.Usage, urr uint32) (kept []n4.Usage) {
	for _, u := range list {
		if u.URR == urr {
			kept = append(kept, u)
		}
	}
	return kept
}
